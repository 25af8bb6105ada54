import { useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'

/** A button for what cannot be undone: the first press asks, the second one acts. Leaving it takes the question back. */
export function ConfirmButton({ children, question, onClick, ...props }: ButtonProps & { question: string }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <Button
      look={isAsking ? 'danger' : 'plain'}
      {...props}
      onBlur={() => setAsking(false)}
      onClick={(event) => {
        if (isAsking) onClick?.(event)
        setAsking(!isAsking)
      }}
    >
      {isAsking ? question : children}
    </Button>
  )
}

import { useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { SafeText } from './safe-text.tsx'

export interface ConfirmButtonProps extends ButtonProps {
  /** The name of the button that does it. */
  question: string
  /** What ends, in a sentence that names it. */
  what: string
}

/** A button for what cannot be undone: it asks in a dialog, which says what ends. */
export function ConfirmButton({ children, question, what, onClick, ...props }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false)
  const close = () => setAsking(false)
  return (
    <>
      <Button {...props} onClick={() => setAsking(true)}>
        {children}
      </Button>
      <Dialog title="Are you sure?" open={isAsking} onClose={close}>
        <p className="px-4 py-3 break-words whitespace-normal">
          <SafeText>{what}</SafeText>
        </p>
        <div className="flex justify-end gap-2 border-t border-line px-4 py-3">
          <Button onClick={close}>Cancel</Button>
          <Button
            look="danger"
            onClick={(event) => {
              close()
              onClick?.(event)
            }}
          >
            {question}
          </Button>
        </div>
      </Dialog>
    </>
  )
}

import { type ComponentProps, type ReactNode, useId } from 'react'

export interface FieldProps extends ComponentProps<'input'> {
  label: string
  /** Said below, before anything is wrong. */
  hint?: ReactNode
  /** What is wrong with the value. */
  problem?: string | undefined
}

/** An input with its label. */
export function Field({ label, hint, problem, className = '', ...props }: FieldProps) {
  const id = useId()
  return (
    <div className={`flex min-w-0 flex-col gap-1 ${className}`}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        aria-describedby={(problem ?? hint) ? `${id}-hint` : undefined}
        aria-invalid={problem === undefined ? undefined : true}
        className="control w-full"
        {...props}
      />
      {(problem ?? hint) && (
        <span id={`${id}-hint`} className={`text-small ${problem === undefined ? 'text-muted' : 'text-danger'}`}>
          {problem ?? hint}
        </span>
      )}
    </div>
  )
}

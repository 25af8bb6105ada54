import { type ComponentProps, type ReactNode, useId } from 'react'

export interface FieldProps extends ComponentProps<'input'> {
  label: string
  /** Said below, before anything is wrong. */
  hint?: ReactNode
  /** What is wrong with the value. */
  problem?: string | undefined
}

/** An input with its label. */
export function Field({ label, hint, problem, className, ...props }: FieldProps) {
  const id = useId()
  return (
    <Labelled id={id} label={label} hint={hint} problem={problem} className={className}>
      <input
        id={id}
        aria-describedby={(problem ?? hint) ? `${id}-hint` : undefined}
        aria-invalid={problem === undefined ? undefined : true}
        className="control w-full disabled:border-line disabled:bg-hover"
        {...props}
      />
    </Labelled>
  )
}

export interface SelectFieldProps<Value extends string> {
  label: string
  hint: string
  /** The texts of all values, in their order. */
  options: Readonly<Record<Value, string>>
  value: Value
  onChange(value: NoInfer<Value>): void
}

/** A choice of one among few, with its label. */
export function SelectField<Value extends string>({ label, hint, options, value, onChange }: SelectFieldProps<Value>) {
  const id = useId()
  return (
    <Labelled id={id} label={label} hint={hint}>
      <select
        id={id}
        aria-describedby={`${id}-hint`}
        className="control w-full max-w-96"
        value={value}
        onChange={({ target }) => onChange(target.value as Value)}
      >
        {Object.entries<string>(options).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

interface LabelledProps extends Pick<FieldProps, 'label' | 'hint' | 'problem' | 'className'> {
  id: string
  children: ReactNode
}

function Labelled({ id, label, hint, problem, className = '', children }: LabelledProps) {
  return (
    <div className={`flex min-w-0 flex-col gap-1 ${className}`}>
      <label htmlFor={id}>{label}</label>
      {children}
      {(problem ?? hint) && (
        <span id={`${id}-hint`} className={`text-small ${problem === undefined ? 'text-muted' : 'text-danger'}`}>
          {problem ?? hint}
        </span>
      )}
    </div>
  )
}

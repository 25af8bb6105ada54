export interface ChoicesProps<Value extends string> {
  label: string
  options: readonly Value[]
  chosen: readonly Value[]
  onChange(chosen: Value[]): void
}

/** A group of checkboxes. */
export function Choices<Value extends string>({ label, options, chosen, onChange }: ChoicesProps<Value>) {
  return (
    <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <legend className="mb-1">{label}</legend>
      {options.map((option) => (
        <label key={option} className="flex min-h-8 items-center gap-2">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ target }) =>
              onChange(options.filter((one) => (one === option ? target.checked : chosen.includes(one))))
            }
          />
          {option.replace('_', ' ')}
        </label>
      ))}
    </fieldset>
  )
}

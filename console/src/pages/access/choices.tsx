export interface ChoicesProps<Value extends string> {
  label: string
  options: readonly Value[]
  chosen: readonly Value[]
  onChange(chosen: Value[]): void
  /** What people call an option. Its own word stays its name and its tooltip. */
  wordsOf?: (option: Value) => string
}

/** A group of checkboxes. */
export function Choices<Value extends string>({ label, options, chosen, onChange, wordsOf }: ChoicesProps<Value>) {
  return (
    <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <legend className="mb-1">{label}</legend>
      {options.map((option) => (
        <label key={option} title={wordsOf && option} className="flex min-h-8 items-center gap-2">
          <input
            type="checkbox"
            aria-label={wordsOf && option.replace('_', ' ')}
            checked={chosen.includes(option)}
            onChange={({ target }) =>
              onChange(options.filter((one) => (one === option ? target.checked : chosen.includes(one))))
            }
          />
          {wordsOf?.(option) ?? option}
        </label>
      ))}
    </fieldset>
  )
}

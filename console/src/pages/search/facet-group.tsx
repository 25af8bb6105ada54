import type { ReactNode } from 'react'
import { SafeText } from '../../components/safe-text.tsx'
import type { FacetChoice } from './use-facets.ts'

export interface FacetGroupProps {
  label: string
  values: readonly FacetChoice[]
  chosen: readonly string[]
  /** What people call a value. Its own word stays its name and its tooltip. */
  wordsOf?: (value: string) => string
  onToggle(value: string, isOn: boolean): void
  /** Further ways to choose. */
  children?: ReactNode
}

const asItIs = (value: string) => value

/** The values of a field with their counts, and those that are chosen beyond them; nothing without either. */
export function FacetGroup({ label, values, chosen, wordsOf = asItIs, onToggle, children }: FacetGroupProps) {
  const beyond = chosen.filter((value) => !values.some((one) => one.value === value)).map((value) => ({ value }))
  const all: FacetChoice[] = [...values, ...beyond]
  if (all.length === 0 && !children) return null
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 font-strong">{label}</legend>
      {all.map(({ value, count }) => (
        <label
          key={value}
          title={wordsOf(value) === value ? undefined : value}
          className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11"
        >
          <input
            type="checkbox"
            aria-label={wordsOf(value) === value ? undefined : [value, count].join(' ').trim()}
            checked={chosen.includes(value)}
            onChange={({ target }) => onToggle(value, target.checked)}
          />
          <SafeText className="min-w-0 flex-1 truncate">{wordsOf(value)}</SafeText>{' '}
          {count !== undefined && <span className="text-muted">{count}</span>}
        </label>
      ))}
      {children}
    </fieldset>
  )
}

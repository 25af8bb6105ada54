import { useEffect, useRef, useState } from 'react'
import { ComboboxMany } from '../combobox.tsx'
import type { Directory } from './use-directory.ts'
import { groupOfPerson, isPerson, type ReadersChoice } from './words.ts'

export interface ReadersFieldProps {
  choice: ReadersChoice
  onChange(choice: ReadersChoice): void
  directory: Directory
  /** Who the owner is: `Only me`. */
  alone: string
  /** What `*` opens it to. */
  everyone: string
}

/** A choice of readers: the owner alone, everyone, or groups and people. */
export function ReadersField({ choice, onChange, directory, alone, everyone }: ReadersFieldProps) {
  const kinds = { owner: alone, everyone, chosen: 'Groups and people' } as const
  const options = Object.keys(kinds) as (keyof typeof kinds)[]
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1">Who may read</legend>
      {options.map((kind) => (
        <label key={kind} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
          <input
            type="radio"
            name="readers"
            checked={choice.kind === kind}
            onChange={() => onChange({ ...choice, kind })}
          />
          <bdi>{kinds[kind]}</bdi>
        </label>
      ))}
      {choice.kind === 'chosen' && (
        <PickReaders
          chosen={choice.chosen}
          onChange={(chosen) => onChange({ ...choice, chosen })}
          directory={directory}
        />
      )}
    </fieldset>
  )
}

interface PickReadersProps {
  chosen: readonly string[]
  onChange(chosen: string[]): void
  directory: Directory
}

/** Groups and people are chosen by name. One that is not listed can be typed. */
function PickReaders({ chosen, onChange, directory: { names } }: PickReadersProps) {
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLDivElement>(null)
  // Chosen by the keyboard or not: what there is to do next comes into sight.
  useEffect(() => {
    field.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const word = typed.trim()
  const isNew = word !== '' && word !== '*' && ![...names.values(), ...names.keys()].includes(word)
  const guesses = isNew ? (/^(user|principal|service|agent)_/.test(word) ? [groupOfPerson(word)] : [word]) : []
  return (
    <div ref={field}>
      <ComboboxMany
        label="Readers"
        hint="Type a name, or the id of a person or a group"
        items={[...names.keys(), ...guesses]}
        nameOf={(group) => names.get(group) ?? `${nameOfUnknown(group)} (not listed)`}
        chosen={chosen}
        onChange={onChange}
        onType={setTyped}
      />
    </div>
  )
}

const nameOfUnknown = (group: string) =>
  isPerson(group) ? `person ${group.slice(groupOfPerson('').length)}` : `group ${group}`

import { type FieldColumn, metadataPath, type UnitField } from '../../model/field.ts'
import { text } from '../input/parse.ts'

/** `metadata.`, and five keys with their dots. */
const longest = 'metadata.'.length + 5 * 129
const deepest = 5

type Path = `metadata.${string}`

/** A field under its name on the wire, or under that of GraphQL. */
function fieldOf<Column extends FieldColumn | 'score'>(columns: Readonly<Record<string, Column>>) {
  const names: ReadonlyMap<string, Column> = new Map(Object.entries(columns))
  const known = (name: string): Column | Path | undefined => {
    const path = metadataPath(name)
    if (path) return path.length <= deepest ? (name as Path) : undefined
    return names.get(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  }
  const spellings = [...new Set(Object.entries(columns).flat())]
  const problem = `must be ${[...names.keys()].join(', ')} or metadata.<path>, with at most ${deepest} keys in the path`
  return text(longest)
    .refine((name) => known(name) !== undefined, problem)
    .meta({ pattern: `^(${spellings.join('|')}|metadata(\\.(\\\\.|[^.\\\\])+){1,${deepest}})$` })
    .transform((name) => known(name) as Column | Path)
}

export const groupField = fieldOf({ doc_id: 'docId' })
export const sortField = fieldOf({ score: 'score', created_at: 'createdAt', updated_at: 'updatedAt' })
export const ageField = fieldOf({ created_at: 'createdAt' })
export const facetField = fieldOf({
  ...{ plane: 'plane', modality: 'modality', scope: 'scope' },
  ...{ doc_id: 'docId', mime: 'mime', created_at: 'createdAt' },
})

/** The name of a field on the wire. */
export const wireNameOf = (field: UnitField): string =>
  metadataPath(field) ? field : field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

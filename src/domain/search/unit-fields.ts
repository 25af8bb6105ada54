import { type FieldColumn, metadataPath, type UnitField } from '../../model/field.ts'
import { text } from '../input/parse.ts'

/** `metadata.`, and five keys with their dots. */
const longest = 'metadata.'.length + 5 * 129
const deepest = 5

/** A field of Units under its name on the wire, or under that of GraphQL; `others` may stand for something else. */
function fieldOf<Other extends string = never>(columns: Readonly<Record<string, FieldColumn | Other>>) {
  const names: ReadonlyMap<string, FieldColumn | Other> = new Map(Object.entries(columns))
  const known = (name: string): UnitField | Other | undefined => {
    const path = metadataPath(name)
    if (path) return path.length <= deepest ? (name as UnitField) : undefined
    return names.get(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  }
  const problem = `must be ${[...names.keys()].join(', ')} or metadata.<path>, with at most ${deepest} keys in the path`
  return text(longest)
    .refine((name) => known(name) !== undefined, problem)
    .transform((name) => known(name) as UnitField | Other)
}

export const groupField = fieldOf({ doc_id: 'docId' })
export const sortField = fieldOf({ score: 'score', created_at: 'createdAt', updated_at: 'updatedAt' })

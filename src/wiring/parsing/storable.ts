import type { Structure } from '../../ports/format.ts'
import type { ParsedUnit } from '../../ports/parser.ts'

/** Text that every store can hold. NUL and unpaired surrogates become U+FFFD, so that offsets stay as they are. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

const storableOrNull = (text: string | null) => (text === null ? null : storable(text))

/** Fonts and archives can name any character. The text of a text file is not changed: it is checked on decoding. */
export const withStorableText = (structure: Structure): Structure =>
  structure.textIsFile ? structure : { ...structure, text: storableOrNull(structure.text) }

export const withStorableFields = (unit: ParsedUnit): ParsedUnit => ({
  ...unit,
  text: storableOrNull(unit.text),
  title: storableOrNull(unit.title),
  metadata: Object.fromEntries(
    Object.entries(unit.metadata).map(([name, value]) => [name, typeof value === 'string' ? storable(value) : value]),
  ),
})

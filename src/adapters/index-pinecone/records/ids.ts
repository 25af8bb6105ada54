/** Marks the record of a Unit's other vector; no encoded id contains it. */
const otherMark = '#2'

/** Pinecone takes only ASCII. */
const encode = encodeURIComponent

/** The id of the record of a Unit's vector, or of its other vector. */
export const recordId = (unitId: string, which: 'vector' | 'other'): string =>
  which === 'vector' ? encode(unitId) : `${encode(unitId)}${otherMark}`

/** The ids of all records that a Unit may have in an index; the plain Unit id is not one that this service uses. */
export function recordIds(unitId: string): string[] {
  const ids = [recordId(unitId, 'vector'), recordId(unitId, 'other')]
  return ids.includes(unitId) || !isAscii(unitId) ? ids : [...ids, unitId]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what Pinecone takes as an id
const isAscii = (text: string) => /^[\x01-\x7f]{1,512}$/u.test(text)

/** The Unit of a record. A record of another client counts as an unknown Unit. */
export function unitIdOf(id: string): string {
  const encoded = id.endsWith(otherMark) ? id.slice(0, -otherMark.length) : id
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

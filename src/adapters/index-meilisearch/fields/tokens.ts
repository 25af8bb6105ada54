import { createHash } from 'node:crypto'
import type { MetadataValue } from '../../../model/unit.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * A token for any value that filters compare. Meilisearch changes strings: it folds their case, trims them, cuts them
 * at 468 bytes and reads numbers in them. Half of a SHA-256; the kind before the value keeps kinds apart.
 */
export const valueToken = (kind: string, value: string): string => digest(`${kind}\0${value}`).slice(0, 32)

/** A metadata value with its key and its type. */
export const metadataToken = (key: string, value: Exclude<MetadataValue, readonly string[]>): string =>
  // JSON has no -0, and equality does not distinguish it.
  valueToken('metadata', JSON.stringify([key, value]))

/** For the primary key, which may contain only letters, digits, - and _. */
export const documentId = (namespaceId: string, unitId: string): string =>
  digest(JSON.stringify([namespaceId, unitId])).slice(0, 40)

/** Sorts as the id does, by UTF-16 code units: Meilisearch would fold the case of the id. */
export const orderOf = (unitId: string): string => Buffer.from(unitId, 'utf16le').swap16().toString('hex')

/**
 * Replace hexadecimal digits. Words of only these letters are in no dictionary, so Meilisearch's tokenisers do not
 * split, join or fold them in any language.
 */
const letters = 'bcdfghjklmnpqrst'
const wordLength = 14

const cacheLimit = 100_000
const cache = new Map<string, string>()

/**
 * A word of an analysed text: 56 bits of a hash, always one word for Meilisearch. Terms and stop words never share a
 * token. The chance that two of a million words in one index share one is about 1 in 100,000.
 */
export function wordToken(word: string, kind: 'term' | 'stop'): string {
  const source = `${kind}\0${word}`
  const known = cache.get(source)
  if (known !== undefined) return known
  const hex = digest(source).slice(0, wordLength)
  const token = hex.replace(/./g, (digit) => letters[Number.parseInt(digit, 16)] ?? '')
  // Cleared when full: vocabularies are small, so this is rare and cheaper than tracking use.
  if (cache.size >= cacheLimit) cache.clear()
  cache.set(source, token)
  return token
}

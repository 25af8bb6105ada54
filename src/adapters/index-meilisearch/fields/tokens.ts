import { createHash } from 'node:crypto'
import type { MetadataValue } from '../../../model/unit.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Anything that filters compare, as Meilisearch can only take it whole: it folds the case of strings, trims them, cuts them
 * at 468 bytes and reads numbers in them. Half of a SHA-256; what stands before the value tells kinds apart.
 */
export const valueToken = (kind: string, value: string): string => digest(`${kind}\0${value}`).slice(0, 32)

/** A metadata value with its key and its type. */
export const metadataToken = (key: string, value: Exclude<MetadataValue, readonly string[]>): string =>
  // JSON has no -0, nor has equality.
  valueToken('metadata', JSON.stringify([key, value]))

/** For the primary key, which may be of letters, digits, - and _ alone. */
export const documentId = (namespaceId: string, unitId: string): string =>
  digest(JSON.stringify([namespaceId, unitId])).slice(0, 40)

/** Orders as the id does, by UTF-16 code units: Meilisearch would fold its case. */
export const orderOf = (unitId: string): string => Buffer.from(unitId, 'utf16le').swap16().toString('hex')

/**
 * In place of hexadecimal digits. Words of these letters alone are in no dictionary, so no tokeniser of Meilisearch takes
 * them apart, joins them or folds them, whatever language it believes to read.
 */
const letters = 'bcdfghjklmnpqrst'
const wordLength = 14

const cacheLimit = 100_000
const cache = new Map<string, string>()

/**
 * A word of an analysed text: 56 bits of a hash, always one word to Meilisearch. Terms and stop words never meet. That
 * two words of one index share a token is about as likely as 1 in 100,000 among a million words.
 */
export function wordToken(word: string, kind: 'term' | 'stop'): string {
  const source = `${kind}\0${word}`
  const known = cache.get(source)
  if (known !== undefined) return known
  const hex = digest(source).slice(0, wordLength)
  const token = hex.replace(/./g, (digit) => letters[Number.parseInt(digit, 16)] ?? '')
  // Emptied when full: vocabularies are small, so this is rare and cheaper than tracking use.
  if (cache.size >= cacheLimit) cache.clear()
  cache.set(source, token)
  return token
}

import { randomInt } from 'node:crypto'
import type { Clock, Random } from './ports/clock.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const base62 = (length: number) => Array.from({ length }, () => alphabet[randomInt(62)]).join('')

export const systemClock: Clock = { now: () => Date.now() }

/** Milliseconds in 8 characters: enough until the year 8888. */
const timeOf = (now: number): string => (now === 0 ? '' : timeOf(Math.floor(now / 62)) + alphabet[now % 62])

/**
 * The random characters hold 83 bits. Ids of about the same time begin alike, so the indexes of a table take new rows in pages that
 * are in memory, however large the table is.
 */
export const systemRandom: Random = {
  base62,
  id: (prefix) => `${prefix}_${timeOf(systemClock.now()).padStart(8, '0')}${base62(14)}`,
}

import { randomInt } from 'node:crypto'
import type { Clock, Random } from './ports/clock.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const base62 = (length: number) => Array.from({ length }, () => alphabet[randomInt(62)]).join('')

export const systemClock: Clock = { now: () => Date.now() }

/** 22 base62 characters hold 131 bits. */
export const systemRandom: Random = { base62, id: (prefix) => `${prefix}_${base62(22)}` }

import type { Bounds, Comparison, Scalar } from '../../../model/filter.ts'
import type { Dictionary } from '../memory/dictionary.ts'

export type NumberTest = (number: number) => boolean

const encoder = new TextEncoder()
const [quote, backslash] = [0x22, 0x5c]

/**
 * Compares texts by their bytes, which have the order of their code points: far faster than reading them. Null for a comparison
 * that needs them read; undefined for a text that does. In the dictionary they begin at `start`, and may be JSON.
 */
export function bytesTest(
  comparison: Comparison,
  texts: Dictionary,
  { start, isJson } = { start: 0, isJson: false },
): ((text: number) => boolean | undefined) | null {
  const written = (text: string) => encoder.encode(isJson ? JSON.stringify(text).slice(0, -1) : text)
  if (comparison.kind === 'prefix') {
    // JSON writes sign by sign, so a beginning stays one.
    const beginning = written(comparison.text)
    return (text) => texts.sameBytes(text, start, beginning) === beginning.length
  }
  if (comparison.kind !== 'within') return null
  const bounds = Object.entries(comparison.bounds).filter(([, bound]) => typeof bound === 'string')
  const compared = bounds.map(([name, bound]) => ({ bytes: written(`${bound}`), passes: orders[name as keyof Bounds] }))
  if (compared.length === 0 || (isJson && compared.some(({ bytes }) => bytes.includes(backslash)))) return null
  return (text) => {
    for (const { bytes, passes } of compared) {
      const i = texts.sameBytes(text, start, bytes)
      // It does not even begin with the quote of a text.
      if (isJson && i === 0) return false
      const next = texts.byteAt(text, start + i)
      if (isJson && next === backslash) return undefined
      const isOver = next === undefined || (isJson && next === quote)
      const order = i === bytes.length ? (isOver ? 0 : 1) : isOver ? -1 : (next ?? 0) - (bytes[i] ?? 0)
      if (!passes[Math.sign(order) + 1]) return false
    }
    return true
  }
}

/** Whether what comes before a bound, is it or comes after it is within it. */
const orders: Record<keyof Bounds, readonly boolean[]> = {
  gt: [false, false, true],
  gte: [false, true, true],
  lt: [true, false, false],
  lte: [true, true, false],
}

/** Bytes of a text in its key: as many as a number holds exactly. */
const keyBytes = 6
const afterAll = 256 ** keyBytes
/** Of texts, that are left out of their keys where all begin with them. Each change of it makes all keys again. */
const maxCommon = 64
/** The key of a value that is within no bounds, and of one that has to be compared itself. */
const [noKey, openKey] = [-Infinity, Number.NaN]

/** A comparison with the order of values. */
export type Ordering = Extract<Comparison, { kind: 'within' | 'prefix' }>

/** What is between two keys meets a comparison; what has one of these, or none, has to be compared itself; all else does not meet it. */
export interface KeyRange {
  keys: Float64Array
  low: number
  high: number
}

/** Numbers in the order of the numbers, or else of the texts, that things have: a lower key is one of a lesser value. */
export class ValueKeys {
  readonly #type: 'number' | 'string'
  #keys = new Float64Array(0)
  #length = 0
  #common: Uint8Array | null = null

  constructor(type: 'number' | 'string') {
    this.#type = type
  }

  /**
   * By number of a thing, its key.
   * @param valueAt never another one for the same thing; undefined for what is more than a value
   */
  of(count: number, valueAt: (number: number) => Scalar | null | undefined): Float64Array {
    if (this.#keys.length < count) {
      const grown = new Float64Array(count + (this.#keys.length >>> 2))
      grown.set(this.#keys)
      this.#keys = grown
    }
    while (this.#length < count) {
      const value = valueAt(this.#length)
      const key = value === undefined ? openKey : typeof value === this.#type ? this.#keyOf(value) : noKey
      if (key === null) this.#length = 0
      else this.#keys[this.#length++] = key
    }
    return this.#keys.subarray(0, count)
  }

  /** Null where less is common than before, which changes all keys. */
  #keyOf(value: Scalar | null): number | null {
    if (typeof value !== 'string') return Number(value)
    const bytes = encoder.encode(value.slice(0, 2 * maxCommon))
    this.#common ??= bytes.subarray(0, maxCommon)
    const same = sameBytes(bytes, this.#common)
    if (same === this.#common.length) return keyAfter(same, bytes, 0)
    this.#common = this.#common.subarray(0, same)
    return null
  }

  /** From which key to which one there is what meets a comparison. */
  range(comparison: Ordering): Omit<KeyRange, 'keys'> {
    if (comparison.kind === 'prefix')
      return { low: this.#boundOf(comparison.text, 0), high: this.#boundOf(comparison.text, 0xff) }
    const { gt, gte, lt, lte } = comparison.bounds
    const bounds = (of: (Scalar | undefined)[]) =>
      of.flatMap((one) => (one === undefined ? [] : [this.#boundOf(one, 0)]))
    return { low: Math.max(...bounds([gt, gte])), high: Math.min(...bounds([lt, lte])) }
  }

  /** The key of the first value that begins with a bound, or with 0xff of the last one. */
  #boundOf(bound: Scalar, filler: number): number {
    if (typeof bound !== 'string') return Number(bound)
    const [bytes, common] = [encoder.encode(bound), this.#common ?? new Uint8Array(0)]
    const same = sameBytes(bytes, common)
    if (same === common.length) return keyAfter(same, bytes, filler)
    return (bytes[same] ?? filler) < (common[same] ?? 0) ? -1 : afterAll
  }
}

/** How many bytes from the first one on are the same. */
function sameBytes(bytes: Uint8Array, others: Uint8Array): number {
  const differs = others.findIndex((byte, i) => byte !== bytes[i])
  return differs < 0 ? others.length : differs
}

function keyAfter(place: number, bytes: Uint8Array, filler: number): number {
  let key = 0
  for (let at = place; at < place + keyBytes; at++) key = key * 256 + (bytes[at] ?? filler)
  return key
}

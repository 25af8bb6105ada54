import type { Bounds, Comparison } from '../../../model/filter.ts'
import type { Dictionary } from '../memory/dictionary.ts'

export type NumberTest = (number: number) => boolean

const encoder = new TextEncoder()
export const [quote, backslash] = [0x22, 0x5c]

/** How texts of a dictionary are written there: after some other bytes, and perhaps as JSON. */
interface Written {
  start: number
  isJson: boolean
}

/**
 * Compares texts by their bytes, which have the order of their code points: far faster than reading them. Null for a comparison
 * that needs them read; undefined for a text that does.
 */
export function bytesTest(
  comparison: Comparison,
  texts: Dictionary,
  { start, isJson }: Written = { start: 0, isJson: false },
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
  if (isJson && compared.some(({ bytes }) => bytes.includes(backslash))) return null
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

/** Whether a number is within bounds; null for bounds of texts. */
export function numberTest({
  gt = -Infinity,
  gte = -Infinity,
  lt = Infinity,
  lte = Infinity,
}: Bounds): NumberTest | null {
  const bounds = [gt, gte, lt, lte]
  if (bounds.some((bound) => typeof bound === 'string')) return null
  const [above, from, below, to] = bounds as [number, number, number, number]
  return (number) => number > above && number >= from && number < below && number <= to
}

/** Whether what comes before a bound, is it or comes after it is within it. */
const orders: Record<keyof Bounds, readonly boolean[]> = {
  gt: [false, false, true],
  gte: [false, true, true],
  lt: [true, false, false],
  lte: [true, true, false],
}

import { valueToken } from './tokens.ts'

/** Hexadecimal digits of a float64. */
const digits = 16

/** The bits of a number, transformed so that they sort as the numbers do. -0 is 0. */
function sortable(value: number): string {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value === 0 ? 0 : value)
  const bits = view.getBigUint64(0)
  const turned = bits >> 63n === 1n ? ~bits & 0xffff_ffff_ffff_ffffn : bits | (1n << 63n)
  return turned.toString(16).padStart(digits, '0')
}

const tokenOf = (key: string, prefix: string) => valueToken('number', JSON.stringify([key, prefix]))

/**
 * The tokens of a number in a Unit's metadata: one for each prefix of its digits, so that a range needs few tokens too
 * (Schindler & Diepenbroek 2008, trie range queries). One attribute per key would let any tenant use up the 65,535
 * attributes that a whole index may have.
 */
export function numberTokens(key: string, value: number): string[] {
  const all = sortable(value)
  return Array.from({ length: digits }, (_, i) => tokenOf(key, all.slice(0, i + 1)))
}

/** Tokens for a range, both ends inclusive: numbers in the range have exactly one of them, others have none. */
export function rangeTokens(key: string, min: number, max: number): string[] {
  if (!(min <= max)) return []
  return covering('', sortable(min), sortable(max)).map((prefix) => tokenOf(key, prefix))
}

/** The shortest prefixes that cover everything between two ends of equal length. */
function covering(prefix: string, min: string, max: string): string[] {
  if (/^0*$/.test(min) && /^f*$/.test(max)) return [prefix]
  const [first, last] = [Number.parseInt(min[0] ?? '0', 16), Number.parseInt(max[0] ?? 'f', 16)]
  const found: string[] = []
  for (let digit = first; digit <= last; digit++) {
    const from = digit === first ? min.slice(1) : '0'.repeat(min.length - 1)
    const to = digit === last ? max.slice(1) : 'f'.repeat(max.length - 1)
    found.push(...covering(prefix + digit.toString(16), from, to))
  }
  return found
}

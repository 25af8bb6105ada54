import type { Input } from './messages.ts'

/** No language has tokens that long. UTF-16 units. */
const longestToken = 16

/**
 * The input with at most so many tokens, by `count`: of a text its beginning is kept, of a pair first of all half of the
 * tokens for the shorter text.
 */
export function fitTokens(input: Input, most: number, count: (input: Input) => number): Input {
  const [text, pair] = input
  if (pair === undefined) return [shorten(text, most, (cut) => count([cut]))]
  if (text.length <= pair.length) {
    const first = shorten(text, most >> 1, (cut) => count([cut]))
    return [first, shorten(pair, most, (cut) => count([first, cut]))]
  }
  const second = shorten(pair, most >> 1, (cut) => count([cut]))
  return [shorten(text, most, (cut) => count([cut, second])), second]
}

function shorten(text: string, most: number, count: (text: string) => number): string {
  let kept = beginning(text, most * longestToken)
  for (;;) {
    const tokens = count(kept)
    if (tokens <= most || kept === '') return kept
    kept = beginning(kept, Math.min(kept.length - 1, Math.floor((kept.length * most) / tokens)))
  }
}

/** No half of a surrogate pair is left at the end. */
const beginning = (text: string, length: number) => text.slice(0, length).toWellFormed()

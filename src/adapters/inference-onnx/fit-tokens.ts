import type { TextInput } from './messages.ts'

/** No language has longer tokens. UTF-16 units. */
const longestToken = 16

/**
 * The input with at most `most` tokens, by `count`. Keeps the beginning of a text; of a pair, the shorter text is first
 * limited to half of the tokens.
 */
export function fitTokens(input: TextInput, max: number, count: (input: TextInput) => number): TextInput {
  const [text, pair] = input
  if (pair === undefined) return [shorten(text, max, (cut) => count([cut]))]
  if (text.length <= pair.length) {
    const first = shorten(text, max >> 1, (cut) => count([cut]))
    return [first, shorten(pair, max, (cut) => count([first, cut]))]
  }
  const second = shorten(pair, max >> 1, (cut) => count([cut]))
  return [shorten(text, max, (cut) => count([cut, second])), second]
}

function shorten(text: string, max: number, count: (text: string) => number): string {
  let kept = beginning(text, max * longestToken)
  for (;;) {
    const tokens = count(kept)
    if (tokens <= max || kept === '') return kept
    kept = beginning(kept, Math.min(kept.length - 1, Math.floor((kept.length * max) / tokens)))
  }
}

/** Does not leave half of a surrogate pair at the end. */
const beginning = (text: string, length: number) => text.slice(0, length).toWellFormed()

/** A shorter quote shows nothing, unless it is the whole passage. UTF-16 units. */
const shortestQuote = 8
/** Models copy words; line breaks and typographic quotes they set as they like. */
const loose: readonly [RegExp, string][] = [
  [/\s+/gu, '\\s+'],
  [/["“”„«»]/gu, '["“”„«»]'],
  [/['‘’]/gu, "['‘’]"],
  [/[-‐‑–—]/gu, '[-‐‑–—]'],
]

/** Where a passage holds the quote, in the passage's own characters. Null where it does not. */
export function locate(quote: string, text: string): { quote: string; start: number } | null {
  const wanted = quote.trim()
  if (wanted.length < shortestQuote && wanted !== text.trim()) return null
  const start = text.indexOf(wanted)
  if (start >= 0) return wanted === '' ? null : { quote: wanted, start }
  const escaped = wanted.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')
  const pattern = loose.reduce((source, [from, to]) => source.replace(from, () => to), escaped)
  const match = new RegExp(pattern, 'u').exec(text)
  return match ? { quote: match[0], start: match.index } : null
}

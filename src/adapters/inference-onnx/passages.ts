/** A text of no more is best embedded as a whole: small models read 256 tokens (bench/embeddings). */
const wholeWords = 190
const passageWords = 180
/** That a passage shares with the one before it, at least. */
const sharedWords = 45
const maxPassages = 16
const step = passageWords - sharedWords
const maxWords = passageWords + (maxPassages - 1) * step

/** Between spaces; in scripts that have none, two signs are about a word. */
const unspaced = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`
const word = new RegExp(`[${unspaced}]{1,2}|[^\\s${unspaced}]+`, 'gu')

/** The text, or if it is long its passages of 180 words: the fewest that overlap, evenly spread over its first 2,200 words. */
export function passagesOf(text: string): string[] {
  const words: { start: number; end: number }[] = []
  for (const { 0: found, index } of text.matchAll(word)) {
    words.push({ start: index, end: index + found.length })
    if (words.length === maxWords) break
  }
  if (words.length <= wholeWords) return [text]
  const extra = words.length - passageWords
  const last = Math.ceil(extra / step)
  return Array.from({ length: last + 1 }, (_, i) => {
    const first = Math.round((i * extra) / last)
    return text.slice(words[first]?.start, words[first + passageWords - 1]?.end)
  })
}

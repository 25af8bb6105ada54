/** The features of a text that the built-in embedding hashes: words, and n-grams of characters within them. */

const words = /[\p{L}\p{N}]+/gu
const marks = /\p{M}+/gu
/** Scripts that put no spaces between words: their runs are phrases, so only short n-grams mean anything. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** How often each feature occurs. Empty for a text without letters or digits. */
export function countFeatures(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  // A text says most of its words again and again: each is taken apart once.
  for (const [word, times] of countWords(text)) {
    const add = (feature: string) => counts.set(feature, (counts.get(feature) ?? 0) + times)
    if (unspaced.test(word)) addGrams(word, 1, 3, add)
    else {
      add(word)
      addGrams(`_${word}_`, 3, 5, add)
    }
  }
  return counts
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  // Marks go before too: NFKD would put them in order first, in quadratic time.
  const folded = text.replace(marks, '').normalize('NFKD').replace(marks, '').toLowerCase()
  for (const [word] of folded.matchAll(words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function addGrams(word: string, shortest: number, longest: number, add: (feature: string) => void): void {
  const letters = [...word]
  for (let n = shortest; n <= longest; n++) {
    for (let i = 0; i + n <= letters.length; i++) add(`${n}:${letters.slice(i, i + n).join('')}`)
  }
}

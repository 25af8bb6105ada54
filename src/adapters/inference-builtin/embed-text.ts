const words = /[\p{L}\p{N}]+/gu
const marks = /\p{M}+/gu
/** Scripts that put no spaces between words: their runs are phrases, so only short n-grams are meaningful. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * A text as one L2-normalised vector by signed feature hashing (Weinberger et al. 2009): each feature adds its weight
 * to one dimension, with its own sign, so that collisions cancel out on average. Null for a text without words.
 */
export function embedText(text: string, dims: number): Float32Array | null {
  const sums = new Float64Array(dims)
  for (const [feature, count] of countFeatures(text)) {
    const hash = hash32(feature)
    const dimension = (hash >>> 1) % dims
    const sign = hash & 1 ? 1 : -1
    sums[dimension] = (sums[dimension] ?? 0) + sign * (1 + Math.log(count))
  }
  const norm = Math.hypot(...sums)
  return norm === 0 ? null : Float32Array.from(sums, (sum) => sum / norm)
}

/** FNV-1a over UTF-16 units, then the finaliser of MurmurHash3, which spreads the bits to the low ones. */
function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** How often each feature (a word, or an n-gram of its characters) occurs. Empty without letters or digits. */
function countFeatures(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  // A text repeats most of its words: each is split only once.
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
  // Removes marks before NFKD too: NFKD would first put them in order, in quadratic time.
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

/**
 * A text folded for comparison: NFKD, combining marks stripped, lower case, one form of σ and i. `spans` gives, for each UTF-16 unit of
 * `text`, its position in the original (`starts` inclusive, `ends` exclusive); null when offsets are the same.
 */
export interface Folded {
  text: string
  spans: { starts: number[]; ends: number[] } | null
}

/**
 * Pieces that can be folded separately: ASCII; Hangul jamo, which compose with each other; any other character with its
 * marks (the half-width voicing marks of Katakana are letters by category). The number of marks per piece is limited,
 * because putting them in canonical order takes quadratic time: a megabyte of them would block the process for minutes.
 */
const pieces = /[^\u{80}-\u{10ffff}]+(?!\p{M})|[\u1100-\u11ff]+|[\s\S][\p{M}\uff9e\uff9f]{0,16}/gu

/**
 * Accents, vowel points, soft hyphens. Marks that are part of the spelling (vowels of Indic scripts and Thai, voicing
 * of kana) stay: without them different words would become equal.
 */
const stripped = /[[[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]]--[\u3099\u309a]]\u{ad}]/gv

const isAscii = /^[^\u{80}-\u{10ffff}]*$/u
const cacheLimit = 20_000
const cache = new Map<string, string>()

export function fold(text: string): Folded {
  if (isAscii.test(text)) return { text: text.toLowerCase(), spans: null }
  const parts: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    const ascii = piece.charCodeAt(0) < 0x80 && isAscii.test(piece)
    const folded = ascii ? piece.toLowerCase() : foldCluster(piece)
    parts.push(folded)
    for (let i = 0; i < folded.length; i++) {
      starts.push(ascii ? index + i : index)
      ends.push(ascii ? index + i + 1 : index + piece.length)
    }
  }
  return { text: parts.join(''), spans: { starts, ends } }
}

function foldCluster(cluster: string): string {
  const known = cache.get(cluster)
  if (known !== undefined) return known
  // Composed again, so that Hangul stays syllables and kana one character each, as dictionaries spell them.
  const folded = cluster
    .normalize('NFKD')
    .replace(stripped, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll('ı', 'i')
  if (cluster.length <= 4) {
    if (cache.size >= cacheLimit) cache.clear()
    cache.set(cluster, folded)
  }
  return folded
}

interface Candidate {
  charset: string
  /** What texts in this encoding are mostly made of beyond ASCII. */
  letters: RegExp
  /** The least share of them. */
  share: number
}

/** Of several bytes a character: hardly any other text is valid in them. Japanese always has syllables, and comes first. */
const multiByte: readonly Candidate[] = [
  { charset: 'shift_jis', letters: /[\u3041-\u30fe]/g, share: 0.25 },
  { charset: 'euc-jp', letters: /[\u3041-\u30fe]/g, share: 0.25 },
  { charset: 'euc-kr', letters: /[\uac00-\ud7a3]/g, share: 0.7 },
  { charset: 'gb18030', letters: /[\u4e00-\u9fff\u3000-\u303f\uff00-\uff5e]/g, share: 0.9 },
  { charset: 'big5', letters: /[\u4e00-\u9fff\u3000-\u303f\uff00-\uff5e]/g, share: 0.9 },
]

/** Most letters of a text are lower case: in a wrong encoding they are not. Those that lack a byte come first. */
const singleByte: readonly Candidate[] = [
  { charset: 'windows-1255', letters: /[\u05d0-\u05ea]/g, share: 0.97 },
  { charset: 'windows-1253', letters: /[\u03ac-\u03ce]/g, share: 0.75 },
  { charset: 'windows-1251', letters: /[\u0430-\u044f\u0451\u0454\u0456\u0457]/g, share: 0.75 },
  { charset: 'koi8-r', letters: /[\u0430-\u044f\u0451]/g, share: 0.75 },
  { charset: 'ibm866', letters: /[\u0430-\u044f\u0451]/g, share: 0.75 },
  { charset: 'windows-1256', letters: /[\u0621-\u064a]/g, share: 0.75 },
]

/** Fewer bytes beyond ASCII say nothing. */
const minBytes = 8

/** A damaged file has bytes that its encoding lacks. In a wrong encoding there are more. */
const maxBad = 1 / 50

/** Guesses the encoding of a text that is not UTF-8 by the letters that its start then has; null where none stands out. */
export function guessCharset(start: Uint8Array): string | null {
  const { count, inRuns } = beyondAscii(start)
  // In a Western text they are accents among ASCII letters. Elsewhere words are made of them.
  if (count < minBytes || inRuns < count * 0.7) return null
  const fits = ({ charset, letters, share }: Candidate) => {
    const text = new TextDecoder(charset).decode(start, { stream: true })
    const times = (characters: RegExp) => text.match(characters)?.length ?? 0
    const beyond = times(/[^\0-\x7f]/g)
    return times(/\ufffd/g) <= beyond * maxBad && times(letters) > beyond * share
  }
  return [...multiByte, ...singleByte].find(fits)?.charset ?? null
}

function beyondAscii(bytes: Uint8Array): { count: number; inRuns: number } {
  let [count, inRuns] = [0, 0]
  for (let i = 0; i < bytes.length; i++) {
    if ((bytes[i] ?? 0) < 0x80) continue
    count++
    if ((bytes[i - 1] ?? 0) >= 0x80 || (bytes[i + 1] ?? 0) >= 0x80) inRuns++
  }
  return { count, inRuns }
}

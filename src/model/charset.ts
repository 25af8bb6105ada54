/** What tells encodings apart stands in the first bytes, but for UTF-8, which is checked to the end. */
const startBytes = 256 * 1024

/**
 * A file is UTF-8 while each bad byte stands beside at least this many bytes that are one only in UTF-8: those of a
 * character after its first. Sentences in other encodings have .6 a bad byte at most, by chance, in pieces of 40 bytes 3.
 */
const evidencePerBadByte = 4

/** Finds the encoding of a text while its bytes pass by. */
interface CharsetFinder {
  take(chunk: Uint8Array): void
  /**
   * After the last chunk, by the name that `TextDecoder` has for it: by the BOM, else UTF-8, also with a few bad bytes,
   * else as the text declares, else UTF-16 by its zeros, else as its bytes look like, else windows-1252. Null for bytes
   * that are not text.
   */
  charset(): string | null
}

export function findCharset(): CharsetFinder {
  const head: Uint8Array[] = []
  let left = startBytes
  let hasNul = false
  const utf8 = countUtf8()
  return {
    take: (chunk) => {
      if (left > 0) head.push(chunk.slice(0, left))
      left -= Math.min(left, chunk.length)
      hasNul ||= chunk.includes(0)
      if (!hasNul) utf8.take(chunk)
    },
    charset: () => {
      const start = Buffer.concat(head)
      const marked = markedCharset(start)
      if (marked !== null) return marked
      if (hasNul) return unmarkedUtf16(start)
      if (utf8.isUtf8()) return 'utf-8'
      return declaredCharset(start) ?? guessCharset(start) ?? 'windows-1252'
    },
  }
}

/** So that the text of a large file is not in memory once more. */
const pieceBytes = 2 ** 20

export function charsetOf(bytes: Uint8Array): string | null {
  const finder = findCharset()
  for (let at = 0; at < bytes.length; at += pieceBytes) finder.take(bytes.subarray(at, at + pieceBytes))
  return finder.charset()
}

function markedCharset([a, b, c]: Uint8Array): string | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : null
}

function countUtf8() {
  const strict = new TextDecoder('utf-8', { fatal: true })
  const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
  let isValid = true
  let bad = 0
  let evidence = 0
  const decode = (chunk: Uint8Array, stream: boolean) => {
    const text = lenient.decode(chunk, { stream })
    // A character of two bytes is one code unit, of three bytes one, of four two: the bytes beyond those are evidence.
    evidence += chunk.length - text.length
    for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', at + 1)) bad++
    try {
      if (isValid) strict.decode(chunk, { stream })
    } catch {
      isValid = false
    }
  }
  return {
    take: (chunk: Uint8Array) => decode(chunk, true),
    isUtf8: () => {
      decode(new Uint8Array(), false)
      return isValid || evidence >= bad * evidencePerBadByte
    },
  }
}

const declarations = [
  /<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]{1,40})["']/i,
  /<meta[^>]{0,200}\bcharset\s*=\s*["']?([\w.:-]{1,40})/i,
  /^@charset\s+"([\w.:-]{1,40})"/i,
  /^(?:[^\n]*\n)?[ \t\f]*[#/*;%"-][^\n]{0,100}\bcoding[:=][ \t]*([\w.-]{1,40})/i,
]

/** The encoding that a text names in its first 1,024 bytes: XML, HTML, CSS, and programs with a `coding` comment. */
function declaredCharset(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  for (const declaration of declarations) {
    const label = declaration.exec(start)?.[1]
    const charset = label === undefined ? null : known(label)
    if (charset !== null) return charset
  }
  return null
}

/** Its name as `TextDecoder` gives it. A file that was not valid UTF-8 or UTF-16 is not made so by its declaration. */
function known(label: string): string | null {
  try {
    const { encoding } = new TextDecoder(label)
    return encoding.startsWith('utf-') ? null : encoding
  } catch {
    return null
  }
}

/** Beyond this share of characters that no text has, bytes are something else: of random ones it is a sixth. */
const maxStrange = 1 / 50

/**
 * UTF-16 without a BOM, by its zeros: a Latin letter, a blank or a line break has one in its higher byte. Null where
 * neither order of bytes makes a text.
 */
function unmarkedUtf16(start: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  let [even, odd] = [0, 0]
  start.forEach((byte, i) => {
    if (byte !== 0) return
    if (i % 2 === 0) even++
    else odd++
  })
  if (even + odd === 0) return null
  const orders = even > odd ? (['utf-16be', 'utf-16le'] as const) : (['utf-16le', 'utf-16be'] as const)
  // A few zeros may be lower bytes: of the ideograph for one, U+4E00. Many are not.
  const possible = Math.max(even, odd) > start.length / 8 ? orders.slice(0, 1) : orders
  return possible.find((charset) => isText(new TextDecoder(charset).decode(start, { stream: true }))) ?? null
}

function isText(text: string): boolean {
  let strange = 0
  for (const character of text) {
    if (character === '\0') return false
    if (isControl(character.charCodeAt(0)) || /[\p{Cn}\p{Co}\p{Cs}\ufffd]/u.test(character)) strange++
  }
  return strange <= text.length * maxStrange
}

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
function guessCharset(start: Uint8Array): string | null {
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

/** Whether a code is of a control character that no text has: tab, line feed, form feed, carriage return and escape occur. */
export const isControl = (code: number): boolean =>
  (code < 32 && code !== 9 && code !== 10 && code !== 12 && code !== 13 && code !== 27) || code === 127

import { isUtf8 } from 'node:buffer'
import { createRequire } from 'node:module'

/** What tells encodings apart stands in the first bytes, but for UTF-8, which is checked to the end. */
const startBytes = 256 * 1024

/**
 * A file is UTF-8 while each bad byte stands beside at least this many bytes that are one only in UTF-8: those of a
 * character after its first. Sentences in other encodings have .6 a bad byte at most, by chance, in pieces of 40 bytes 3.
 * In Latin letters such a pair of bytes is rare, so one for each bad byte is enough.
 */
const evidencePerBadByte = { latin: 1, other: 4 }

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
      if (utf8.isUtf8(start)) return isEscaped(start) ? 'iso-2022-jp' : 'utf-8'
      return declaredCharset(start) ?? guessCharset(start) ?? 'windows-1252'
    },
  }
}

/** So that the text of a large file is not in memory once more. */
const pieceBytes = 2 ** 20

export function charsetOf(bytes: Uint8Array): string | null {
  const start = bytes.subarray(0, startBytes)
  // Most are, and this makes no string of them.
  if (isUtf8(bytes) && !bytes.includes(0)) return markedCharset(start) ?? (isEscaped(start) ? 'iso-2022-jp' : 'utf-8')
  const finder = findCharset()
  for (let at = 0; at < bytes.length; at += pieceBytes) finder.take(bytes.subarray(at, at + pieceBytes))
  return finder.charset()
}

/** ISO-2022-JP is ASCII alone: what Japanese begins with there is an escape that no terminal has. */
const isEscaped = (start: Uint8Array) =>
  ['\u001b$B', '\u001b$@'].some((begin) => Buffer.from(start).includes(begin)) && start.every((byte) => byte < 0x80)

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
    isUtf8: (start: Uint8Array) => {
      decode(new Uint8Array(), false)
      if (isValid || evidence >= bad * evidencePerBadByte.other) return true
      return evidence >= bad * evidencePerBadByte.latin && isAmongAscii(start)
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
  // Where most bytes are letters of ASCII, a few zeros are those of another file.
  const isAscii = start.filter(isLetter).length > start.length / 2
  if (even + odd === 0 || (isAscii && even + odd < start.length / 8)) return null
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

/** What texts are still found in, by its names in the options of the detector, in its answers, and of `TextDecoder`. */
const detectable: readonly (readonly [asked: string, answered: string, charset: string])[] = [
  ...'0 1 2 3 4 5 6 7'.split(' ').map((i) => repeated(`windows-125${i}`)),
  ...'2 5 6 7 8 13'.split(' ').map((i) => repeated(`iso-8859-${i}`)),
  ...['koi8-r', 'koi8-u', 'gb18030'].map(repeated),
  ['windows-1258', 'cp1258', 'windows-1258'],
  ['cp866', 'ibm866', 'ibm866'],
  ['mac-roman', 'macroman', 'macintosh'],
  ['mac-cyrillic', 'maccyrillic', 'x-mac-cyrillic'],
  ['cp874', 'cp874', 'windows-874'],
  ['cp932', 'cp932', 'shift_jis'],
  ['euc-jis-2004', 'euc-jp', 'euc-jp'],
  ['big5hkscs', 'big5', 'big5'],
  ['cp949', 'cp949', 'euc-kr'],
]
function repeated(name: string): readonly [string, string, string] {
  return [name, name, name]
}
const asked = { detectEncodings: detectable.map(([name]) => name), minimumThreshold: 0 }
const detected = new Map(detectable.map(([, answered, charset]) => [answered, charset]))

/** Of several bytes a character, with what a text in them has most. Japanese always has syllables, and comes first. */
const multiByte: readonly (readonly [charset: string, letters: RegExp, share: number])[] = [
  ['shift_jis', /[\u3041-\u30fe]/g, 0.25],
  ['euc-jp', /[\u3041-\u30fe]/g, 0.25],
  ['euc-kr', /[\uac00-\ud7a3]/g, 0.7],
  ['gb18030', /[\u4e00-\u9fff\u3000-\u303f\uff00-\uff5e]/g, 0.9],
  ['big5', /[\u4e00-\u9fff\u3000-\u303f\uff00-\uff5e]/g, 0.9],
]
const isMultiByte = (charset: string) => multiByte.some(([name]) => name === charset)
const latin = /^(windows-125[02478]|iso-8859-(2|13)|macintosh)$/

/** Fewer bytes beyond ASCII say little. */
const minBytes = 3

/** So much of a text shows its encoding. */
const sampleBytes = 64 * 1024

/** A damaged file has bytes that its encoding lacks. In a wrong encoding there are more. */
const maxBad = 1 / 50

/**
 * Guesses the encoding of a text that is not UTF-8: the detector's candidates are weighed by what the text would be in
 * them. Its model is loaded with the first such text.
 */
function guessCharset(start: Uint8Array): string | null {
  const sample = linesBeyondAscii(start)
  const beyond = sample.filter((byte) => byte >= 0x80)
  // One byte tells no encoding. These five stand for nothing in windows-1252.
  if (beyond.length === 1) return [0x81, 0x8d, 0x8f, 0x90, 0x9d].some((byte) => beyond[0] === byte) ? 'utf-8' : null
  const isShort = beyond.length < minBytes
  const { detectAll } = createRequire(import.meta.url)('jschardet') as typeof import('jschardet')
  const isLatin = isAmongAscii(sample)
  const found = detectAll(sample, asked).flatMap(({ encoding, confidence }) => {
    const charset = detected.get(encoding?.toLowerCase() ?? '')
    if (charset === undefined || (!isMultiByte(charset) && latin.test(charset) !== isLatin)) return []
    return [{ charset, score: confidence * likelihood(new TextDecoder(charset).decode(sample), charset) }]
  })
  const damaged = found.some(({ charset }) => isMultiByte(charset)) ? undefined : damagedMultiByte(sample)
  if (damaged) return damaged
  const [best, ...others] = found.sort((a, b) => b.score - a.score)
  if (!best || best.score === 0) return null
  const isNear = (charset: string, share: number) =>
    others.some((other) => other.charset === charset && other.score >= best.score * share)
  // Most are in it, and texts of few letters look like any.
  const share = best.charset === 'macintosh' ? 0.9 : 0.75
  if (latin.test(best.charset) && (isShort || isNear('windows-1252', share))) return 'windows-1252'
  // Their letters differ where ISO 8859 has none.
  const isIso = best.charset === 'windows-1250' && !sample.some((byte) => byte >= 0x80 && byte < 0xa0)
  return isIso && isNear('iso-8859-2', 0.95) ? 'iso-8859-2' : best.charset
}

/** The detector gives up an encoding of several bytes for one that is wrong. */
function damagedMultiByte(sample: Uint8Array): string | undefined {
  const beyondAscii = sample.reduce((count, byte) => count + (byte >> 7), 0)
  const inRuns = sample.filter((byte, i) => byte >= 0x80 && ((sample[i - 1] ?? 0) | (sample[i + 1] ?? 0)) >= 0x80)
  if (inRuns.length < beyondAscii * 0.7) return undefined
  const fits = ([charset, letters, share]: (typeof multiByte)[number]) => {
    const text = new TextDecoder(charset).decode(sample, { stream: true })
    const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
    const beyond = count(/[^\0-\x7f]/g)
    return count(/\ufffd/g) <= beyond * maxBad && count(letters) > beyond * share
  }
  return multiByte.find(fits)?.[0]
}

/** Only lines with other than ASCII say something: in a table they may be few. */
function linesBeyondAscii(bytes: Uint8Array): Uint8Array {
  const lines: Uint8Array[] = []
  let taken = 0
  for (let at = 0; at < bytes.length && taken < sampleBytes; ) {
    const found = bytes.indexOf(10, at)
    const next = found === -1 ? bytes.length : found + 1
    const line = bytes.subarray(at, Math.min(next, at + sampleBytes))
    if (line.some((byte) => byte >= 0x80)) {
      lines.push(line)
      taken += line.length
    }
    at = next
  }
  return Buffer.concat(lines)
}

const isLetter = (byte = 0) => (byte | 32) >= 97 && (byte | 32) <= 122

/** In a text of Latin letters, the others stand alone or beside them. In other scripts they make up words. */
function isAmongAscii(bytes: Uint8Array): boolean {
  let [count, inWords] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    if ((bytes[at] ?? 0) < 0x80) continue
    let end = at
    while ((bytes[end] ?? 0) >= 0x80) end++
    count += end - at
    if (end - at > 1 && !isLetter(bytes[at - 1]) && !isLetter(bytes[end])) inWords += end - at
    at = end
  }
  return inWords < count * 0.6
}

/** A factor, 0..1: texts have hardly a symbol within a word, and few bytes that stand for nothing. */
function likelihood(text: string, charset: string): number {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  const beyond = Math.max(1, count(/[^\0-\x7f]/g))
  if (count(/[\ufffd\x80-\x9f]/g) > beyond * maxBad) return 0
  // These two are letters of Icelandic, which has accents, too. Elsewhere they are what Turkish or Baltic ones look like.
  if (charset === 'windows-1252' && /[ðþ]/i.test(text) && !/[áéíóúæ]/i.test(text)) return 0
  const inside = count(/(?<=\p{L})[^\0-\x7f\p{L}\p{M}\u2018\u2019\xad\xb7](?=\p{L})/gu)
  return Math.max(0, 1 - (3 * inside) / beyond)
}

/** Whether a code is of a control character that no text has: tab, line feed, form feed, carriage return and escape occur. */
export const isControl = (code: number): boolean =>
  (code < 32 && code !== 9 && code !== 10 && code !== 12 && code !== 13 && code !== 27) || code === 127

const codePages: Readonly<Record<number, string>> = {
  ...{ 866: 'ibm866', 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5', 1200: 'utf-16le', 10000: 'macintosh' },
  65001: 'utf-8',
}

/** The encoding that Windows gives a number; windows-1252 where it is not known. */
export function charsetOfPage(page: number): string {
  try {
    return new TextDecoder(codePages[page] ?? `windows-${page}`).encoding
  } catch {
    return 'windows-1252'
  }
}

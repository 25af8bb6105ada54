import { declaredCharset } from './declared-charset.ts'
import { guessCharset } from './guess-charset.ts'
import { unmarkedUtf16 } from './unmarked-utf16.ts'

/** What tells encodings apart stands in the first bytes, but for UTF-8, which is checked to the end. */
const startBytes = 256 * 1024

/**
 * A file is UTF-8 while each bad byte stands beside at least this many bytes that are one only in UTF-8: those of a
 * character after its first. Sentences in other encodings have .6 a bad byte at most, by chance, in pieces of 40 bytes 3.
 */
const evidencePerBadByte = 4

/** Finds the encoding of a text while its bytes pass by. */
export interface CharsetFinder {
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

import type { DecodedText } from '../../../ports/format.ts'
import { ParseError } from '../../../ports/parser.ts'
import { declaredCharset } from './declared-charset.ts'
import { guessCharset } from './guess-charset.ts'

/**
 * Decodes a text file: by its BOM, else as UTF-8, else as it declares, else as its bytes look like, else as
 * windows-1252. Errors: `malformed` for a NUL.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const charset = charsetOf(bytes)
  const text = new TextDecoder(charset).decode(bytes)
  if (text.includes('\0')) throw new ParseError('malformed', 'The file holds binary data where text was expected.')
  return { text, charset }
}

/** The encoding that a BOM shows, but for UTF-8: that one is valid UTF-8 anyway. */
export function markedCharset([a, b]: Uint8Array): string | null {
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : null
}

const charsetOf = (bytes: Uint8Array): string =>
  markedCharset(bytes) ??
  (decodes('utf-8', bytes) ? 'utf-8' : (declaredCharset(bytes) ?? guessCharset(bytes, decodes) ?? 'windows-1252'))

function decodes(charset: string, bytes: Uint8Array): boolean {
  try {
    new TextDecoder(charset, { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

import type { DecodedText } from '../../../ports/format.ts'
import { ParseError } from '../../../ports/parser.ts'

/** Decodes a text file: by its BOM, else as UTF-8, else as windows-1252. Errors: `malformed` for a NUL. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const charset = charsetOf(bytes)
  const text = new TextDecoder(charset).decode(bytes)
  if (text.includes('\0')) throw new ParseError('malformed', 'The file holds binary data where text was expected.')
  return { text, charset }
}

function charsetOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252'
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

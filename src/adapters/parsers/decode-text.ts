import { charsetOf, isControl } from '../../model/charset.ts'
import type { DecodedText } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'

/** Decodes a text file. Errors: `malformed` for what is not text, and for a NUL. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const charset = charsetOf(bytes)
  const text = charset === null ? '\0' : new TextDecoder(charset).decode(bytes)
  if (charset === null || text.includes('\0')) throw binaryContent()
  return { text, charset }
}

export const binaryContent = (): ParseError =>
  new ParseError('malformed', 'The file holds binary data where text was expected.')

/** By its BOM: that of UTF-16 beside a NUL, which no text begins with. */
export const isUtf32 = (head: Uint8Array): boolean =>
  /^(\xff\xfe\0\0|\0\0\xfe\xff)/.test(Buffer.from(head.subarray(0, 4)).toString('latin1'))

/** A file's first bytes as text. Null where they can't be one: binary, or more than hardly a control character. */
export function startOfText(head: Uint8Array): string | null {
  const charset = charsetOf(head)
  if (charset === null) return null
  const text = new TextDecoder(charset).decode(head, { stream: true })
  let controls = 0
  for (let i = 0; i < text.length; i++) if (isControl(text.charCodeAt(i))) controls++
  return controls <= text.length / 50 ? text : null
}

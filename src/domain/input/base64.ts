/**
 * The bytes of standard base64 (RFC 4648, section 4), with or without padding, in a buffer of their own. Null for any
 * other text.
 */
export function decodeBase64(text: string): ArrayBuffer | null {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  if (digits % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return null
  // The decoder skips invalid characters and accepts base64url, so this checks the length and these two letters. It is
  // much faster than a pattern over megabytes.
  if (text.includes('-') || text.includes('_')) return null
  const bytes = new ArrayBuffer(Math.floor((digits * 3) / 4))
  return Buffer.from(bytes).write(text, 'base64') === bytes.byteLength ? bytes : null
}

/** The type of a picture by its first bytes; null for other bytes. */
export function pictureMime(head: Uint8Array): string | null {
  const start = Buffer.from(head.subarray(0, 32)).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  if (/^RIFF.{4}WEBP/s.test(start)) return 'image/webp'
  return /^.{4}ftyp.*avi[fs]/s.test(start) ? 'image/avif' : null
}

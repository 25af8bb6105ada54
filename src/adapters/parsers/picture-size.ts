/** In pixels. */
interface PictureSize {
  width: number
  height: number
}

const readers: Record<string, (data: Buffer) => PictureSize | null> = {
  'image/png': (data) =>
    data.toString('latin1', 12, 16) === 'IHDR' ? { width: data.readUInt32BE(16), height: data.readUInt32BE(20) } : null,
  'image/gif': (data) => ({ width: data.readUInt16LE(6), height: data.readUInt16LE(8) }),
  'image/jpeg': jpeg,
  'image/webp': webp,
  'image/avif': heif,
  'image/heic': heif,
  'image/jxl': jxl,
  'image/bmp': bmp,
  'image/tiff': tiff,
}

/** Width and height of a picture by its header; null for other bytes and for a header that is cut off. */
export function pictureSize(bytes: Uint8Array): PictureSize | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = readers[pictureMime(data) ?? '']
  if (read === undefined || data.length < 30) return null
  const size = read(data)
  return size !== null && size.width > 0 && size.height > 0 ? size : null
}

/** Whether bytes are a picture from 64 pixels on in both directions. Smaller ones are icons and marks. */
export function isLarge(bytes: Uint8Array): boolean {
  const size = pictureSize(bytes)
  return size !== null && Math.min(size.width, size.height) >= 64
}

/** The first frame header (SOF0 to SOF15 without tables) of the segments. */
function jpeg(data: Buffer): PictureSize | null {
  let at = 2
  while (at + 9 < data.length && data[at] === 0xff) {
    const marker = data[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) }
    at += marker === 0xff ? 1 : 2 + data.readUInt16BE(at + 2)
  }
  return null
}

function webp(data: Buffer): PictureSize | null {
  const kind = data.toString('latin1', 12, 16)
  if (kind === 'VP8X') return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 }
  if (kind === 'VP8 ') return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff }
  if (kind !== 'VP8L') return null
  const bits = data.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** The largest image spatial extents property: those of tiles and of the alpha plane are not larger. */
function heif(data: Buffer): PictureSize | null {
  let largest: PictureSize | null = null
  const header = data.subarray(0, 65_536)
  for (let at = header.indexOf('ispe'); at >= 0 && at + 16 <= header.length; at = header.indexOf('ispe', at + 4)) {
    const size = { width: header.readUInt32BE(at + 8), height: header.readUInt32BE(at + 12) }
    if (largest === null || size.width * size.height > largest.width * largest.height) largest = size
  }
  return largest
}

const jxlCodestream = '\xff\x0a'
const jxlContainer = '\0\0\0\x0cJXL \r\n\x87\n'
/** Of the ratios of JPEG XL: width, height. */
const ratios = [[], [1, 1], [12, 10], [4, 3], [3, 2], [16, 9], [5, 4], [2, 1]]

/** The header of the first codestream: its bits come lowest first. ISO/IEC 18181-1, annex D. */
function jxl(data: Buffer): PictureSize | null {
  const header = data.subarray(0, 65_536)
  const box = header.indexOf('jxlc') >= 0 ? header.indexOf('jxlc') + 4 : header.indexOf('jxlp') + 8
  const start = data[0] === 0xff ? 2 : box + 2
  if (start < 10 && start !== 2) return null
  if (start + 12 > data.length) return null
  let bits = data.readBigUInt64LE(start) | (BigInt(data.readUInt32LE(start + 8)) << 64n)
  const take = (count: number) => {
    const value = Number(BigInt.asUintN(count, bits))
    bits >>= BigInt(count)
    return value
  }
  const isSmall = take(1) === 1
  const length = () => 1 + (isSmall ? 8 * take(5) + 7 : take([9, 13, 18, 30][take(2)] ?? 9))
  const height = length()
  const [over, under] = ratios[take(3)] ?? []
  return { width: over && under ? Math.floor((height * over) / under) : length(), height }
}

/** Rows may run from the top: then the height is negative. */
function bmp(data: Buffer): PictureSize {
  const isOld = data.readUInt32LE(14) === 12
  return isOld
    ? { width: data.readUInt16LE(18), height: data.readUInt16LE(20) }
    : { width: data.readInt32LE(18), height: Math.abs(data.readInt32LE(22)) }
}

/** Tags 256 and 257 of the first directory, which are of type SHORT (3) or LONG (4). TIFF 6.0, section 2. */
function tiff(data: Buffer): PictureSize | null {
  const isLittle = data[0] === 0x49
  const short = (at: number) => (isLittle ? data.readUInt16LE(at) : data.readUInt16BE(at))
  const long = (at: number) => (isLittle ? data.readUInt32LE(at) : data.readUInt32BE(at))
  const size: Record<number, number> = {}
  const directory = long(4)
  if (directory + 2 > data.length) return null
  for (let i = 0; i < short(directory); i++) {
    const entry = directory + 2 + 12 * i
    if (entry + 12 > data.length) break
    size[short(entry)] ??= short(entry + 2) === 3 ? short(entry + 8) : long(entry + 8)
  }
  return { width: size[256] ?? 0, height: size[257] ?? 0 }
}

/** The type of a picture by its first bytes; null for other bytes. */
export function pictureMime(head: Uint8Array): string | null {
  const start = Buffer.from(head.subarray(0, 32)).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  if (/^RIFF.{4}WEBP/s.test(start)) return 'image/webp'
  if (/^(?:II\*\0|MM\0\*)/.test(start)) return 'image/tiff'
  if (start.startsWith('BM') && isBitmapHeader(head)) return 'image/bmp'
  if (start.startsWith(jxlCodestream) || start.startsWith(jxlContainer)) return 'image/jxl'
  if (/^.{4}ftyp(.*hei[cx]|mif1|msf1)/s.test(start) && !/avi[fs]/.test(start)) return 'image/heic'
  return /^.{4}ftyp.*avi[fs]/s.test(start) ? 'image/avif' : null
}

/** Many texts begin with BM. The header after the 14 bytes of the file's own has one of these sizes. */
const isBitmapHeader = (head: Uint8Array): boolean =>
  [12, 40, 52, 56, 64, 108, 124].includes(head[14] ?? 0) && head.subarray(15, 18).every((byte) => byte === 0)

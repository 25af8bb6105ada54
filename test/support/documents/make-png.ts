import { crc32, deflateSync } from 'node:zlib'

/** A PNG, black without `lightness` (0..255); `texts` are its own words about itself (`tEXt`). */
export function makePng(
  width: number,
  height: number,
  texts: Record<string, string> = {},
  lightness: (x: number, y: number) => number = () => 0,
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8)
  const said = Object.entries(texts).map(([key, text]) => chunk('tEXt', Buffer.from(`${key}\0${text}`, 'latin1')))
  // Each row begins with its filter: 0 is none.
  const pixels = Uint8Array.from({ length: height * (width + 1) }, (_, i) =>
    i % (width + 1) === 0 ? 0 : lightness((i % (width + 1)) - 1, Math.floor(i / (width + 1))),
  )
  const rows = deflateSync(pixels)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...said,
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The same picture without its pixels. */
export function damagedPng(png: Buffer): Buffer {
  const damaged = Buffer.from(png)
  return damaged.fill(0, damaged.indexOf('IDAT') + 8, damaged.indexOf('IDAT') + 40)
}

/** The same picture, which says that it has 60,000 × 60,000 pixels. */
export function vastPng(png: Buffer): Buffer {
  const vast = Buffer.from(png)
  vast.writeUInt32BE(60_000, 16)
  vast.writeUInt32BE(60_000, 20)
  vast.writeUInt32BE(crc32(vast.subarray(12, 29)), 29)
  return vast
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

import { crc32, deflateSync } from 'node:zlib'

/** Models scale larger pictures down themselves. Pixels. */
const maxSide = 2_000

/** A gray PNG of a picture, scaled down by whole numbers to at most 2,000 pixels each way: each pixel is a mean. */
export function grayPng(width: number, height: number, lightness: (x: number, y: number) => number): Uint8Array {
  const step = Math.ceil(Math.max(width, height) / maxSide)
  const [w, h] = [Math.ceil(width / step), Math.ceil(height / step)]
  const rows = Buffer.alloc(h * (w + 1))
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      let [sum, count] = [0, 0]
      for (let j = y * step; j < Math.min(height, (y + 1) * step); j++) {
        for (let i = x * step; i < Math.min(width, (x + 1) * step); i++) {
          sum += lightness(i, j)
          count++
        }
      }
      // Each row begins with its filter: 0 is none.
      rows[y * (w + 1) + 1 + x] = Math.round(sum / count)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(w, 0)
  header.writeUInt32BE(h, 4)
  header.writeUInt8(8, 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

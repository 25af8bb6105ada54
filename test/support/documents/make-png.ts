import { crc32, deflateSync } from 'node:zlib'

/** A black PNG; `texts` are its own words about itself (`tEXt`). */
export function makePng(width: number, height: number, texts: Record<string, string> = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8)
  const said = Object.entries(texts).map(([key, text]) => chunk('tEXt', Buffer.from(`${key}\0${text}`, 'latin1')))
  const rows = deflateSync(Buffer.alloc(height * (width + 1)))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...said,
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

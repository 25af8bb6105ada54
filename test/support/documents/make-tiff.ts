export interface TiffPage {
  width: number
  height: number
  /** Its gray level, 0 to 255. White without. */
  pixel?: (x: number, y: number) => number
}

/** For each page gray pixels, then the directory: its count, entries of 12 bytes, where the next one is. Big-endian. */
export function makeTiff(pages: readonly TiffPage[]): Buffer {
  const parts = [Buffer.from('MM\0*\0\0\0\0', 'latin1')]
  let [at, link] = [8, 4]
  for (const { width, height, pixel = () => 255 } of pages) {
    const pixels = Buffer.from(
      Array.from({ length: width * height }, (_, i) => pixel(i % width, Math.floor(i / width))),
    )
    const entries = [
      [256, width],
      [257, height],
      [258, 8],
      [259, 1],
      [262, 1],
      [273, at],
      [277, 1],
      [278, height],
      [279, pixels.length],
    ] as const
    const directory = Buffer.alloc(6 + 12 * entries.length)
    directory.writeUInt16BE(entries.length)
    for (const [i, [tag, value]] of entries.entries()) {
      directory.writeUInt16BE(tag, 2 + 12 * i)
      directory.writeUInt16BE(4, 4 + 12 * i)
      directory.writeUInt32BE(1, 6 + 12 * i)
      directory.writeUInt32BE(value, 10 + 12 * i)
    }
    const [last] = parts.slice(-1)
    last?.writeUInt32BE(at + pixels.length, link)
    at += pixels.length + directory.length
    link = directory.length - 4
    parts.push(Buffer.concat([pixels, directory]))
    link += pixels.length
  }
  return Buffer.concat(parts)
}

/** Where the directory of each page begins (TIFF 6.0, section 2), at most `max`. Reduced pictures of a page are left out. */
export function tiffPages(data: Buffer, max: number): number[] {
  const { short, long } = numbersOf(data)
  const pages: number[] = []
  const seen = new Set<number>()
  for (let at = long(4); at > 0 && at + 2 <= data.length && !seen.has(at) && pages.length < max; ) {
    seen.add(at)
    const next = at + 2 + 12 * short(at)
    if (next > data.length) break
    const kind = entryOf(data, at, newSubfileType)
    if (kind === null || (long(kind + 8) & 1) === 0) pages.push(at)
    at = next + 4 > data.length ? 0 : long(next)
  }
  return pages
}

/** The same file with this page as its first one: decoders read that. */
export function startingAt(data: Buffer, page: number): Buffer {
  const copy = Buffer.from(data)
  if (isLittle(data)) copy.writeUInt32LE(page, 4)
  else copy.writeUInt32BE(page, 4)
  return copy
}

const newSubfileType = 254

function entryOf(data: Buffer, directory: number, tag: number): number | null {
  const { short } = numbersOf(data)
  for (let i = 0; i < short(directory); i++) if (short(directory + 2 + 12 * i) === tag) return directory + 2 + 12 * i
  return null
}

const isLittle = (data: Buffer) => data[0] === 0x49

const numbersOf = (data: Buffer) => ({
  short: (at: number) => (isLittle(data) ? data.readUInt16LE(at) : data.readUInt16BE(at)),
  long: (at: number) => (isLittle(data) ? data.readUInt32LE(at) : data.readUInt32BE(at)),
})

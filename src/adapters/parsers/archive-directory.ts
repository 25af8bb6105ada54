import { parseLimits } from '../../model/parse-limits.ts'
import type { OpenFile } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'

/** A file inside a ZIP archive, by its central directory (PKWARE APPNOTE 6.3.10, section 4.3.12). Sizes in bytes. */
export interface Entry {
  name: string
  /** 0 stored, 8 deflated. */
  method: number
  encrypted: boolean
  packed: number
  unpacked: number
  /** Where its local header begins in the archive. */
  offset: number
}

const endMark = 0x06054b50
const entryMark = 0x02014b50
const endBytes = 22
const maxComment = 65_535

/** The entries of a ZIP archive, or null where the file isn't one. Errors: `too_large` for more than 10,000 entries. */
export async function readDirectory(file: Pick<OpenFile, 'head' | 'size' | 'read'>): Promise<Entry[] | null> {
  if (file.head[0] !== 0x50 || file.head[1] !== 0x4b) return null
  const tailAt = Math.max(0, file.size - endBytes - maxComment)
  const tail = Buffer.from(await file.read(tailAt, file.size - tailAt))
  const at = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (at < 0 || at + endBytes > tail.length || tail.readUInt32LE(at) !== endMark) return null
  const count = tail.readUInt16LE(at + 10)
  const bytes = tail.readUInt32LE(at + 12)
  const offset = tail.readUInt32LE(at + 16)
  if (count > parseLimits.archiveEntries) throw new ParseError('too_large', 'The archive has more than 10,000 entries.')
  if (offset + bytes > file.size) return null
  return entriesOf(Buffer.from(await file.read(offset, bytes)), count)
}

function entriesOf(directory: Buffer, count: number): Entry[] | null {
  const entries: Entry[] = []
  let at = 0
  while (entries.length < count) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== entryMark) return null
    const nameBytes = directory.readUInt16LE(at + 28)
    entries.push({
      name: directory.toString('utf8', at + 46, at + 46 + nameBytes).replaceAll('\\', '/'),
      method: directory.readUInt16LE(at + 10),
      encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      packed: directory.readUInt32LE(at + 20),
      unpacked: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
    })
    at += 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return entries
}

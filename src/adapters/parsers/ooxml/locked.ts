import type { Format, OpenFile } from '../../../ports/format.ts'
import { ParseError } from '../../../ports/parser.ts'

/** The header of a compound file (MS-CFB, 2.2) and the first sector of its directory. */
const mark = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const directoryBytes = 4_096
/** The stream that holds the encrypted package (MS-OFFCRYPTO, 2.3.4.4). */
const stream = Buffer.from('EncryptedPackage', 'utf16le')

/** Word, Excel and PowerPoint put a document with a password into a compound file, as their old formats are. */
export const lockedOffice: Format = {
  name: 'an Office document with a password',
  extensions: [],
  kind: 'binary',
  claims: async (file: OpenFile) => {
    const header = Buffer.from(file.head.subarray(0, 512))
    if (header.length < 512 || !header.subarray(0, 8).equals(mark)) return false
    const sectorBytes = 2 ** Math.min(12, header.readUInt16LE(0x1e))
    const directory = (header.readUInt32LE(0x30) + 1) * sectorBytes
    return Buffer.from(await file.read(directory, directoryBytes)).includes(stream)
  },
  load: async () => () => {
    throw new ParseError('locked', 'The document opens only with a password.')
  },
}

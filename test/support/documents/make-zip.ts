import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipOptions {
  /** Writes this size of each file, in bytes, whatever it is. */
  claimedBytes?: number
  encrypted?: boolean
  /** The name of a file that is not packed. */
  stored?: string
  /** Writes all numbers in the fields of 64 bits. Those of 32 and 16 bits are filled with ones. */
  zip64?: boolean
}

/** A ZIP archive of these files. */
export function makeZip(files: Readonly<Record<string, string | Uint8Array>>, options: ZipOptions = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content as Uint8Array)
    const isStored = name === options.stored
    const packed = isStored ? bytes : deflateRawSync(bytes)
    const claimed = options.claimedBytes ?? bytes.length
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(options.encrypted ? 1 : 0, 2)
    fields.writeUInt16LE(isStored ? 0 : 8, 4)
    fields.writeUInt32LE(crc32(bytes), 10)
    if (!options.zip64) {
      fields.writeUInt32LE(packed.length, 14)
      fields.writeUInt32LE(claimed, 18)
    } else fields.fill(0xff, 14, 22)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const extraOf = (...numbers: readonly number[]) =>
      options.zip64 ? Buffer.concat([Buffer.from([1, 0, 8 * numbers.length, 0]), wide(...numbers)]) : Buffer.alloc(0)
    const local = extraOf(claimed, packed.length)
    fields.writeUInt16LE(local.length, 24)
    parts.push(Buffer.from('PK\x03\x04'), fields, Buffer.from(name), local, packed)
    const central = extraOf(claimed, packed.length, offset)
    const index = Buffer.from(fields)
    index.writeUInt16LE(central.length, 24)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(options.zip64 ? 0xffffffff : offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), index, rest, Buffer.from(name), central)
    offset += 30 + Buffer.byteLength(name) + local.length + packed.length
  }
  const index = Buffer.concat(directory)
  const count = Object.keys(files).length
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  if (options.zip64) end.fill(0xff, 4, 20)
  else {
    end.writeUInt16LE(count, 8)
    end.writeUInt16LE(count, 10)
    end.writeUInt32LE(index.length, 12)
    end.writeUInt32LE(offset, 16)
  }
  const largeEnd = [
    ...[Buffer.from('PK\x06\x06'), wide(44), Buffer.alloc(12), wide(count, count, index.length, offset)],
    ...[Buffer.from('PK\x06\x07\0\0\0\0'), wide(offset + index.length), Buffer.from([1, 0, 0, 0])],
  ]
  return Buffer.concat([...parts, index, ...(options.zip64 ? largeEnd : []), end])
}

/** Numbers of 64 bits. */
const wide = (...numbers: readonly number[]): Buffer => Buffer.from(BigUint64Array.from(numbers.map(BigInt)).buffer)

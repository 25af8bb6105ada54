import { deflateSync } from 'node:zlib'
import * as xlsx from '@e965/xlsx'

interface Container {
  FullPaths: string[]
}
const { CFB }: { CFB: Library } = xlsx
interface Library {
  read(bytes: Buffer, options: { type: 'buffer' }): Container & { FileIndex: { content: Uint8Array }[] }
  write(file: Container, options: { type: 'buffer' }): Buffer
  utils: { cfb_new(): Container; cfb_add(file: Container, path: string, content: Uint8Array): void }
}

/** A compound file of these streams. */
function makeCompound(streams: Readonly<Record<string, Uint8Array>>): Buffer {
  const file = CFB.utils.cfb_new()
  for (const [path, content] of Object.entries(streams)) CFB.utils.cfb_add(file, path, content)
  return CFB.write(file, { type: 'buffer' })
}

/** A document of Word 97 with this text in one piece (MS-DOC 2.5 and 2.9.38). Cells end in `\x07`. */
export function makeDoc(text: string, more: Readonly<Record<string, Uint8Array>> = {}): Buffer {
  const start = 0x800
  const document = Buffer.alloc(Math.max(4_096, start + text.length))
  document.writeUInt16LE(0xa5ec, 0)
  document.writeUInt16LE(0xc1, 2)
  document.writeUInt32LE(text.length, 0x4c)
  document.writeUInt32LE(21, 0x1a6)
  document.write(text, start, 'latin1')
  const table = Buffer.alloc(4_096)
  table.writeUInt8(2, 0)
  table.writeUInt32LE(16, 1)
  table.writeUInt32LE(text.length, 9)
  table.writeUInt32LE((start * 2) | 0x40000000, 15)
  return makeCompound({ '/WordDocument': document, '/0Table': table, ...more })
}

const record = (type: number, content: Uint8Array, head = 0): Buffer => {
  const header = Buffer.alloc(8)
  header.writeUInt16LE(head, 0)
  header.writeUInt16LE(type, 2)
  header.writeUInt32LE(content.length, 4)
  return Buffer.concat([header, content])
}

/** A presentation of PowerPoint 97 (MS-PPT): the title of each slide in the list, its text and a comment on it. */
export function makePpt(slides: readonly { title: string; text: string; comment?: string; object?: Buffer }[]): Buffer {
  const kind = (value: number) => record(3999, Buffer.from([value, 0, 0, 0]))
  const list = slides.flatMap(({ title }) => [
    record(1011, Buffer.alloc(20)),
    kind(0),
    record(4000, Buffer.from(title, 'utf16le')),
  ])
  const commentOf = (text: string) => {
    const strings = ['Ann', text, 'A'].map((each, i) => record(4026, Buffer.from(each, 'utf16le'), i << 4))
    return record(5003, record(12_000, Buffer.concat(strings), 0xf))
  }
  const drawn = slides.map(({ text, comment }) => {
    const shape = record(0xf00d, record(4008, Buffer.from(text, 'latin1')), 0xf)
    return record(1006, Buffer.concat([shape, ...(comment ? [commentOf(comment)] : [])]), 0xf)
  })
  const objects = slides.flatMap(({ object }) => {
    if (!object) return []
    const packed = deflateSync(makeCompound({ '/\u0001Ole10Native': object }))
    return record(4113, Buffer.concat([Buffer.alloc(4), packed]), 0x10)
  })
  const stream = Buffer.concat([
    record(1000, record(4080, Buffer.concat(list), 0xf), 0xf),
    ...drawn,
    ...objects,
    Buffer.alloc(4_096),
  ])
  return makeCompound({ '/PowerPoint Document': stream, '/Current User': Buffer.alloc(64) })
}

/** A workbook in one of the formats that the library writes. */
export function makeBook(
  rows: readonly unknown[][],
  bookType: 'biff8' | 'xlsb' | 'ods',
  formats: Readonly<Record<string, string>> = {},
) {
  const sheet = xlsx.utils.aoa_to_sheet(rows as unknown[][])
  for (const [place, code] of Object.entries(formats)) (sheet[place] as xlsx.CellObject).z = code
  const book = xlsx.utils.book_new()
  xlsx.utils.book_append_sheet(book, sheet, 'Fees')
  return Buffer.from(xlsx.write(book, { type: 'buffer', bookType }) as Buffer)
}

/** The same workbook of Excel 97 with a shape and a comment on its one sheet (MS-XLS 2.4.181, 2.4.329). */
export function withShapes(book: Buffer, shape: string, comment: string): Buffer {
  const biff = (type: number, content: Buffer) => {
    const header = Buffer.alloc(4)
    header.writeUInt16LE(type, 0)
    header.writeUInt16LE(content.length, 2)
    return Buffer.concat([header, content])
  }
  const shapeOf = (kind: number, text: string) => {
    const [object, start] = [Buffer.alloc(22), Buffer.alloc(18)]
    object.writeUInt16LE(0x15, 0)
    object.writeUInt16LE(0x12, 2)
    object.writeUInt16LE(kind, 4)
    start.writeUInt16LE(text.length, 10)
    const half = Math.floor(text.length / 2)
    const narrow = Buffer.from(`\0${text.slice(0, half)}`, 'latin1')
    const wide = Buffer.concat([Buffer.from([1]), Buffer.from(text.slice(half), 'utf16le')])
    return [biff(0x5d, object), biff(0x1b6, start), biff(0x3c, narrow), biff(0x3c, wide)]
  }
  const { FullPaths, FileIndex } = CFB.read(book, { type: 'buffer' })
  const stream = Buffer.from(FileIndex[FullPaths.findIndex((path) => path.endsWith('/Workbook'))]?.content ?? [])
  const end = stream.lastIndexOf(Buffer.from([0x0a, 0, 0, 0]))
  const shapes = [...shapeOf(6, shape), ...shapeOf(0x19, comment)]
  return makeCompound({ '/Workbook': Buffer.concat([stream.subarray(0, end), ...shapes, stream.subarray(end)]) })
}

/** An OLE object that holds a file (MS-OLEDS 2.3.6). */
export function nativeObject(name: string, content: string): Buffer {
  const data = Buffer.from(content)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(data.length)
  const named = Buffer.from(`\x02\0${name}\0C:\\${name}\0\0\0\x03\0\x01\0\0\0\0`, 'latin1')
  const body = Buffer.concat([named, size, data])
  const whole = Buffer.alloc(4)
  whole.writeUInt32LE(body.length)
  return Buffer.concat([whole, body])
}

import * as xlsx from '@e965/xlsx'

interface Container {
  FullPaths: string[]
}
const { CFB }: { CFB: Library } = xlsx
interface Library {
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

/** A presentation of PowerPoint 97 (MS-PPT): the title of each slide in the list, its text on it. */
export function makePpt(slides: readonly { title: string; text: string }[]): Buffer {
  const kind = (value: number) => record(3999, Buffer.from([value, 0, 0, 0]))
  const list = slides.flatMap(({ title }) => [
    record(1011, Buffer.alloc(20)),
    kind(0),
    record(4000, Buffer.from(title, 'utf16le')),
  ])
  const drawn = slides.map(({ text }) =>
    record(1006, record(0xf00d, record(4008, Buffer.from(text, 'latin1')), 0xf), 0xf),
  )
  const stream = Buffer.concat([
    record(1000, record(4080, Buffer.concat(list), 0xf), 0xf),
    ...drawn,
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

import { createHash } from 'node:crypto'
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

/** How a document of Word 97 is formatted; places count characters. */
interface DocFormat {
  /** By the end of each paragraph: its style, and changes of properties (MS-DOC 2.6). */
  paragraphs?: readonly [end: number, style: number, changes?: readonly number[]][]
  hidden?: readonly [start: number, end: number][]
  /** A footnote: where the text points at it, and how many characters at the end of the text are its own. */
  note?: { at: number; length: number }
  /** The text of a level of the one list, such as `\0)`. */
  list?: string
}

/** A document of Word 97 with this text in one piece (MS-DOC 2.5 and 2.9.38). Cells end in `\x07`. */
export function makeDoc(
  text: string,
  more: Readonly<Record<string, Uint8Array>> = {},
  { paragraphs = [], hidden = [], note, list }: DocFormat = {},
): Buffer {
  const start = 0x800
  const pages = Math.ceil((start + text.length) / 512)
  const document = Buffer.alloc(Math.max(4_096, (pages + 2) * 512))
  const table = Buffer.alloc(4_096)
  document.writeUInt16LE(0xa5ec, 0)
  document.writeUInt16LE(0xc1, 2)
  document.writeUInt32LE(text.length - (note?.length ?? 0), 0x4c)
  document.writeUInt32LE(note?.length ?? 0, 0x50)
  document.writeUInt32LE(21, 0x1a6)
  document.write(text, start, 'latin1')
  table.writeUInt8(2, 0)
  table.writeUInt32LE(16, 1)
  table.writeUInt32LE(text.length, 9)
  table.writeUInt32LE((start * 2) | 0x40000000, 15)
  let free = 512
  const put = (at: number, content: Uint8Array) => {
    table.set(content, free)
    document.writeUInt32LE(free, at)
    document.writeUInt32LE(content.length, at + 4)
    free += content.length
  }
  const wide = (...values: readonly number[]) => Buffer.from(new Uint32Array(values).buffer)
  /** A page of properties: the ends of its ranges, then rows that point at what is changed in them. */
  const page = (
    number: number,
    at: number,
    ends: readonly number[],
    rowBytes: number,
    changes: readonly Uint8Array[],
  ) => {
    const own = document.subarray(number * 512, number * 512 + 512)
    own.set(wide(...[0, ...ends].map((end) => start + end)), 0)
    let to = 510
    for (const [i, content] of changes.entries()) {
      to = (to - content.length) & ~1
      own.set(content, to)
      if (content.length > 0) own[4 * (ends.length + 1) + rowBytes * i] = to / 2
    }
    own[511] = ends.length
    put(at, wide(start, start + text.length, number))
  }
  if (paragraphs.length > 0)
    page(
      pages,
      0x102,
      paragraphs.map(([end]) => end),
      13,
      paragraphs.map(([, style, changes = []]) => {
        const list = Buffer.from([style, 0, ...changes])
        const isOdd = list.length % 2 === 1
        return isOdd ? Buffer.from([(list.length + 1) / 2, ...list]) : Buffer.from([0, list.length / 2, ...list])
      }),
    )
  const runs = hidden.flat()
  if (runs.length > 0)
    page(
      pages + 1,
      0xfa,
      runs,
      1,
      runs.map((_, i) => Buffer.from(i % 2 === 1 ? [3, 0x3c, 0x08, 0x81] : [])),
    )
  if (note) {
    put(0xaa, Buffer.concat([wide(note.at, text.length), Buffer.alloc(2)]))
    put(0xb2, wide(0, note.length))
  }
  if (list !== undefined) {
    const level = Buffer.alloc(28)
    level.writeUInt32LE(3, 0)
    level[4] = 4
    const one = Buffer.alloc(28)
    one[0] = 9
    one[26] = 1
    put(0x2e2, Buffer.concat([Buffer.from([1, 0]), one]))
    const shown = Buffer.concat([level, Buffer.from([list.length, 0]), Buffer.from(list, 'utf16le')])
    table.set(shown, free)
    free += shown.length
    put(0x2ea, Buffer.concat([wide(1, 9), Buffer.alloc(12), wide(0xffffffff)]))
  }
  return makeCompound({ '/WordDocument': document, '/0Table': table, ...more })
}

/**
 * A document of Word 95, whose text is in the encoding of its country. `paragraphs`: changes of properties, by the end of
 * each.
 */
export function makeDoc95(
  text: Uint8Array,
  paragraphs: readonly [end: number, changes: readonly number[]][] = [],
): Buffer {
  const document = Buffer.alloc(4_096)
  document.writeUInt16LE(0xa5dc, 0)
  document.writeUInt16LE(104, 2)
  document.writeUInt32LE(0x300, 0x18)
  document.writeUInt32LE(text.length, 0x34)
  document.set(text, 0x300)
  if (paragraphs.length > 0) {
    // A page of properties, the ends of its ranges first, and the table of such pages.
    const page = document.subarray(0x800, 0xa00)
    for (const [i, end] of [0, ...paragraphs.map(([end]) => end)].entries()) page.writeUInt32LE(0x300 + end, 4 * i)
    let to = 510
    for (const [i, [, changes]] of paragraphs.entries()) {
      const list = Buffer.from([0, 0, ...changes, ...(changes.length % 2 === 1 ? [0] : [])])
      to -= list.length + 2
      page.set([list.length / 2, ...list], to)
      page[4 * (paragraphs.length + 1) + 7 * i] = to / 2
    }
    page[511] = paragraphs.length
    document.writeUInt32LE(0xc00, 0xc0)
    document.writeUInt32LE(10, 0xc4)
    document.set([...Buffer.from(new Uint32Array([0x300, 0x300 + text.length]).buffer), 4], 0xc00)
  }
  return makeCompound({ '/worddocument': document })
}

const record = (type: number, content: Uint8Array, head = 0): Buffer => {
  const header = Buffer.alloc(8)
  header.writeUInt16LE(head, 0)
  header.writeUInt16LE(type, 2)
  header.writeUInt32LE(content.length, 4)
  return Buffer.concat([header, content])
}

/**
 * A presentation of PowerPoint 97 (MS-PPT): the title of each slide in the list, its text and a comment on it. `master` is
 * a shape on every slide, beside a placeholder.
 */
export function makePpt(
  slides: readonly { title: string; text: string; comment?: string; object?: Buffer }[],
  repeated?: { master: string; footer: string },
  title = '',
  more: Readonly<Record<string, Uint8Array>> = {},
): Buffer {
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
  const boxOf = (text: string, before: Buffer) =>
    record(0xf004, Buffer.concat([before, record(0xf00d, record(4008, Buffer.from(text)), 0xf)]), 0xf)
  const placeholder = record(0xf011, record(3011, Buffer.from([0, 0, 0, 0, 1, 0, 0, 0])), 0xf)
  const footerOf = (text: string, flags: number) =>
    record(
      4057,
      Buffer.concat([record(4058, Buffer.from([0, 0, flags, 0])), record(4026, Buffer.from(text, 'utf16le'), 0x20)]),
      0x3f,
    )
  const onEvery = repeated && [
    record(1016, Buffer.concat([boxOf('Click to edit', placeholder), boxOf(repeated.master, Buffer.alloc(0))]), 0xf),
    footerOf(repeated.footer, 0x20),
    footerOf('Not shown', 0),
  ]
  const stream = Buffer.concat([
    record(1000, record(4080, Buffer.concat(list), 0xf), 0xf),
    ...(onEvery ?? []),
    ...drawn,
    ...objects,
    Buffer.alloc(4_096),
  ])
  const properties = title && { '/\u0005SummaryInformation': summaryOf(title) }
  return makeCompound({ '/PowerPoint Document': stream, '/Current User': Buffer.alloc(64), ...properties, ...more })
}

/** Pictures as presentations and documents hold them (MS-ODRAW 2.2.27, 2.2.28), every second one with a second checksum. */
export const makeBlips = (pictures: readonly Uint8Array[]): Buffer =>
  Buffer.concat(
    pictures.map((bytes, i) => {
      const [instance, type] = bytes[0] === 0x89 ? [0x6e0, 0xf01e] : [0x46a, 0xf01d]
      const checksum = createHash('md5').update(bytes).digest()
      const before = [checksum, i % 2 === 0 ? Buffer.alloc(1) : Buffer.alloc(17)]
      return record(type, Buffer.concat([...before, bytes]), (instance + (i % 2)) << 4)
    }),
  )

/** A title in windows-1252 as the one property of a file (MS-OLEPS). */
function summaryOf(title: string): Buffer {
  const text = Buffer.from(title, 'latin1')
  const words = (...values: readonly number[]) => Buffer.from(new Uint32Array(values).buffer)
  const section = [words(0, 2, 1, 24, 2, 32), words(2, 1252), words(30, text.length + 1), text, Buffer.alloc(1)]
  return Buffer.concat([Buffer.alloc(44), words(48), ...section])
}

/**
 * A presentation that was saved once for each of `edits`, each time as a whole: its slides, of which the last one stands
 * first in the stream, notes and a shape on every slide, in a master of titles. Slides that begin with `!` are hidden (MS-PPT 2.1.2).
 */
export function makeEditedPpt(edits: readonly (readonly { slide: string; note: string }[])[], onEvery: string): Buffer {
  const words = (...values: readonly number[]) => Buffer.from(new Uint32Array(values).buffer)
  const shape = (text: string) => record(0xf00d, record(4008, Buffer.from(text)), 0xf)
  const listOf = (instance: number, first: number, count: number) => {
    const items = Array.from({ length: count }, (_, i) => record(1011, words(first + i, 0, 0, 256 + i, 0)))
    return record(4080, Buffer.concat(items), (instance << 4) | 0xf)
  }
  let stream = Buffer.alloc(0)
  let last = 0
  for (const slides of edits) {
    const parts: [id: number, part: Buffer][] = slides.flatMap(({ slide, note }, i) => [
      [
        10 + i,
        record(
          1006,
          Buffer.concat([record(1017, words(0, 0, slide.startsWith('!') ? 4 << 16 : 0, 0)), shape(slide)]),
          0xf,
        ),
      ],
      [100 + i, record(1008, Buffer.concat([record(1009, words(256 + i, 0)), shape(note)]), 0xf)],
    ])
    const lists = [listOf(0, 10, slides.length), listOf(1, 2, 1), listOf(2, 100, slides.length)]
    parts.push([2, record(1006, shape(onEvery), 0xf)], [1, record(1000, Buffer.concat(lists), 0xf)])
    const entries: Buffer[] = []
    for (const [id, part] of parts.reverse()) {
      entries.push(words(id | (1 << 20), stream.length))
      stream = Buffer.concat([stream, part])
    }
    const edit = record(4085, words(0, 0, last, stream.length, 1, 0, 0))
    stream = Buffer.concat([stream, record(6002, Buffer.concat(entries))])
    last = stream.length
    stream = Buffer.concat([stream, edit])
  }
  return makeCompound({
    '/PowerPoint Document': Buffer.concat([stream, Buffer.alloc(4_096)]),
    '/Current User': Buffer.concat([words(0, 0, 0, 0, last), Buffer.alloc(44)]),
  })
}

/** A workbook in one of the formats that the library writes. */
export function makeBook(
  rows: readonly unknown[][],
  bookType: 'biff8' | 'xlsb' | 'ods',
  formats: Readonly<Record<string, string>> = {},
  title?: string,
) {
  const sheet = xlsx.utils.aoa_to_sheet(rows as unknown[][])
  for (const [place, code] of Object.entries(formats)) (sheet[place] as xlsx.CellObject).z = code
  const book = xlsx.utils.book_new()
  if (title !== undefined) book.Props = { Title: title }
  xlsx.utils.book_append_sheet(book, sheet, 'Fees')
  return Buffer.from(xlsx.write(book, { type: 'buffer', bookType }) as Buffer)
}

const biff = (type: number, content: Buffer) => {
  const header = Buffer.alloc(4)
  header.writeUInt16LE(type, 0)
  header.writeUInt16LE(content.length, 2)
  return Buffer.concat([header, content])
}

/** The same workbook of Excel 97 with more records at the end of its one sheet. */
function withRecords(book: Buffer, records: readonly Buffer[]): Buffer {
  const { FullPaths, FileIndex } = CFB.read(book, { type: 'buffer' })
  const stream = Buffer.from(FileIndex[FullPaths.findIndex((path) => path.endsWith('/Workbook'))]?.content ?? [])
  const end = stream.lastIndexOf(Buffer.from([0x0a, 0, 0, 0]))
  return makeCompound({ '/Workbook': Buffer.concat([stream.subarray(0, end), ...records, stream.subarray(end)]) })
}

/** With a shape, and a comment on the second row (MS-XLS 2.4.179, 2.4.181, 2.4.329). */
export function withShapes(book: Buffer, shape: string, comment: string): Buffer {
  const shapeOf = (kind: number, text: string) => {
    const [object, start] = [Buffer.alloc(22), Buffer.alloc(18)]
    object.writeUInt16LE(0x15, 0)
    object.writeUInt16LE(0x12, 2)
    object.writeUInt16LE(kind, 4)
    object.writeUInt16LE(kind, 6)
    start.writeUInt16LE(text.length, 10)
    const half = Math.floor(text.length / 2)
    const narrow = Buffer.from(`\0${text.slice(0, half)}`, 'latin1')
    const wide = Buffer.concat([Buffer.from([1]), Buffer.from(text.slice(half), 'utf16le')])
    const fonts = Buffer.from([0, 0, 5, 0, 0, 0, 0, 0, text.length, 0, 0, 0, 0, 0, 0, 0])
    return [biff(0x5d, object), biff(0x1b6, start), biff(0x3c, narrow), biff(0x3c, wide), biff(0x3c, fonts)]
  }
  const place = numbers(1, 0, 0, 0x19, 0, 0)
  return withRecords(book, [...shapeOf(6, shape), ...shapeOf(0x19, comment), biff(0x1c, place)])
}

const start = (kind: number) => biff(0x809, Buffer.from([0, 6, kind & 0xff, kind >> 8, ...Buffer.alloc(12)]))
const numbers = (...values: readonly number[]) => Buffer.from(new Uint16Array(values).buffer)
const double = (value: number) => Buffer.from(new Float64Array([value]).buffer)
const end = biff(0x0a, Buffer.alloc(0))
const seriesText = (text: string) =>
  biff(0x100d, Buffer.concat([Buffer.from([0, 0, text.length, 1]), Buffer.from(text, 'utf16le')]))

/** With a chart of a series after an empty one (MS-XLS 2.1.7.20.1) and a footer. */
export function withChart(
  book: Buffer,
  title: string,
  series: string,
  points: readonly [string, number][],
  footer: string,
) {
  const part = (kind: number) => biff(0x1065, numbers(kind))
  const label = (text: string, i: number) =>
    biff(0x204, Buffer.concat([numbers(i, 0, 0, text.length), Buffer.from(`\0${text}`, 'latin1')]))
  return withRecords(book, [
    biff(0x15, Buffer.concat([numbers(footer.length), Buffer.from(`\0${footer}`, 'latin1')])),
    ...[start(0x20), biff(0x1033, Buffer.alloc(0))],
    ...[biff(0x1003, Buffer.alloc(12)), biff(0x1033, Buffer.alloc(0)), biff(0x1034, Buffer.alloc(0))],
    ...[biff(0x1003, Buffer.alloc(12)), biff(0x1033, Buffer.alloc(0))],
    ...[seriesText(series), biff(0x1034, Buffer.alloc(0)), seriesText(title), biff(0x1034, Buffer.alloc(0))],
    ...[part(1), ...points.map(([, value], i) => biff(0x203, Buffer.concat([numbers(i, 1, 0), double(value)])))],
    ...[part(2), ...points.map(([text], i) => label(text, i)), end],
  ])
}

/** A chart of Microsoft Graph (MS-OGRAPH), as it stands in presentations. */
export function makeGraph(rows: readonly (string | number)[][], title: string): Buffer {
  const cells = rows.flatMap((row, r) =>
    row.map((value, c) => {
      const place = Buffer.concat([numbers(r, c), Buffer.alloc(3)])
      if (typeof value === 'number') return biff(3, Buffer.concat([place, double(value)]))
      return biff(4, Buffer.concat([place, Buffer.from([value.length, 0]), Buffer.from(value, 'latin1')]))
    }),
  )
  const chart = [start(0x8000), ...cells, seriesText(title), end]
  return makeCompound({ '/Workbook': Buffer.concat([start(5), end, ...chart, Buffer.alloc(4_096)]) })
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

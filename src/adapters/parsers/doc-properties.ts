/** The places of a table: one more than its rows, which have this number of bytes (MS-DOC 2.2.2). */
export function placesIn(table: Buffer, bytes: number): number[] {
  const count = Math.floor((table.length - 4) / (4 + bytes))
  return Array.from({ length: Math.max(0, count) + 1 }, (_, i) => table.readUInt32LE(4 * i))
}

export interface Paragraph {
  /** 1 to 9; 0 for other text. */
  heading: number
  /** Of lists, with the level in it from 0. */
  list: string | null
  level: number
  /** Before Word 97: how its number looks, and the level from 1. 12 leaves a paragraph of a list without a number. */
  numbering: Buffer | null
  numberLevel: number
  isInTable: boolean
  isRowEnd: boolean
  /** Of the end of a row: whether each cell continues the one above. */
  continued: readonly boolean[]
}

const pageBytes = 512

export interface Range {
  start: number
  end: number
}

/** The ranges of the file with properties of their own, by its pages of them (MS-DOC 2.9.32, 2.9.174). */
function* rangesIn(
  main: Buffer,
  table: Buffer,
  is97: boolean,
): Generator<Range & { page: Buffer; i: number; count: number }> {
  const bytes = is97 ? 4 : 2
  const count = placesIn(table, bytes).length
  for (let i = 0; i < count - 1; i++) {
    const number = table.readUIntLE(4 * count + bytes * i, bytes)
    const page = main.subarray(number * pageBytes, (number + 1) * pageBytes)
    if (page.length < pageBytes) return
    const runs = page.readUInt8(pageBytes - 1)
    for (let run = 0; run < runs; run++)
      yield { start: page.readUInt32LE(4 * run), end: page.readUInt32LE(4 * run + 4), page, i: run, count: runs }
  }
}

const byStart = (a: Range, b: Range) => a.start - b.start

export interface Properties extends Range {
  /** The number of the style, then changes to it. */
  properties: Buffer
}

export function propertiesOf(main: Buffer, table: Buffer, rowBytes: number, is97: boolean): Properties[] {
  const found: Properties[] = []
  for (const { start, end, page, i, count } of rangesIn(main, table, is97)) {
    const at = page.readUInt8(4 * (count + 1) + rowBytes * i) * 2
    if (at === 0) continue
    const words = page.readUInt8(at)
    const [from, length] = words === 0 ? [at + 2, page.readUInt8(at + 1) * 2] : [at + 1, words * 2 - (is97 ? 1 : 0)]
    if (length >= 2) found.push({ start, end, properties: page.subarray(from, from + length) })
  }
  return found.sort(byStart)
}

/** Changes of properties (MS-DOC 2.6). */
const change = {
  hidden: 0x083c,
  deleted: 0x0800,
  level: 0x260a,
  list: 0x460b,
  inTable: 0x2416,
  rowEnd: 0x2417,
  cells: 0xd608,
  numbering: 0xc63e,
  numberLevel: 0x2460,
}
/** Bytes of a value by the three highest bits; 0: it begins with its length. */
const valueBytes = [1, 1, 2, 4, 2, 2, 0, 3]
/** Before Word 97, by the number of the change: those of paragraphs up to the marks of a table, those of characters. */
const oldBytes: Readonly<Record<number, number>> = {
  ...[0, 0, 2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 2, 2, 2, 2, 4, 2, 2, 0, 1, 1],
  ...{ 65: 1, 66: 1, 67: 1, 68: 0, 69: 2, 70: 4, 71: 1, 72: 2, 73: 3, 74: 0, 75: 1, 80: 2, 81: 0, 82: 0, 85: 1 },
  ...{ 86: 1, 87: 1, 88: 1, 89: 1, 90: 1, 91: 1, 92: 1, 93: 2, 94: 1, 95: 3, 96: 2, 97: 2, 98: 1, 99: 1 },
}
const oldChanges = new Map([
  [12, change.numbering],
  [13, change.numberLevel],
  [24, change.inTable],
  [25, change.rowEnd],
  [65, change.deleted],
  [92, change.hidden],
])

function* changesIn(list: Buffer, is97: boolean): Generator<[change: number, value: Buffer]> {
  for (let at = 0; at + (is97 ? 2 : 1) < list.length; ) {
    const code = is97 ? list.readUInt16LE(at) : list.readUInt8(at)
    at += is97 ? 2 : 1
    let bytes = is97 ? (valueBytes[code >> 13] ?? 1) : oldBytes[code]
    if (bytes === undefined) return
    if (bytes === 0) {
      const isLong = code === change.cells
      bytes = isLong && at + 2 <= list.length ? list.readUInt16LE(at) - 1 : (list[at] ?? 0)
      at += isLong ? 2 : 1
    }
    yield [is97 ? code : (oldChanges.get(code) ?? 0), list.subarray(at, at + bytes)]
    at += bytes
  }
}

export function hiddenIn(main: Buffer, table: Buffer, is97: boolean): Range[] {
  const found: Range[] = []
  for (const { start, end, page, i, count } of rangesIn(main, table, is97)) {
    const at = page.readUInt8(4 * (count + 1) + i) * 2
    if (at === 0) continue
    const list = page.subarray(at + 1, at + 1 + page.readUInt8(at))
    // 1, or 0x81: other than the style.
    for (const [code, value] of changesIn(list, is97))
      if ((code === change.hidden || code === change.deleted) && ((value[0] ?? 0) & 1) === 1) found.push({ start, end })
  }
  return found.sort(byStart)
}

interface Style {
  base: number
  isTitle: boolean
  changes: Buffer
}

/** The styles of paragraphs by their number (MS-DOC 2.9.271). */
export function stylesOf(table: Buffer, is97: boolean): Style[] {
  const start = 2 + table.readUInt16LE(0)
  const [count, baseBytes] = [table.readUInt16LE(2), table.readUInt16LE(4)]
  const found: Style[] = []
  for (let at = start; found.length < count && at + 2 <= table.length; ) {
    const style = table.subarray(at + 2, at + 2 + table.readUInt16LE(at))
    at += 2 + style.length
    const isParagraph = style.length > baseBytes + 2 && (style.readUInt16LE(2) & 0xf) === 1
    // The name, with its length before it and a zero after it.
    const name = !isParagraph ? 0 : is97 ? 4 + 2 * style.readUInt16LE(baseBytes) : 2 + style.readUInt8(baseBytes)
    const upx = isParagraph ? baseBytes + name + (name % 2) : style.length
    const changes =
      upx + 4 <= style.length ? style.subarray(upx + 4, upx + 2 + style.readUInt16LE(upx)) : Buffer.alloc(0)
    const base = isParagraph ? style.readUInt16LE(2) >> 4 : noStyle
    found.push({ base, isTitle: isParagraph && (style.readUInt16LE(0) & 0xfff) === titleStyle, changes })
  }
  return found
}

const noStyle = 0xfff
const titleStyle = 62
/** No style is based on more. */
const maxBases = 12

export function paragraphOf(properties: Buffer, styles: readonly Style[], is97: boolean): Paragraph {
  const number = properties.readUInt16LE(0)
  const bases: number[] = []
  for (let at = number; at !== noStyle && bases.length < maxBases; at = styles[at]?.base ?? noStyle) bases.push(at)
  // The first styles are the headings, in every document.
  const heading = bases.find((each) => each >= 1 && each <= 9) ?? (styles[number]?.isTitle ? 1 : 0)
  const found: Paragraph = {
    heading,
    list: null,
    level: 0,
    isInTable: false,
    isRowEnd: false,
    continued: [],
    numbering: null,
    numberLevel: 0,
  }
  const lists = bases.toReversed().map((each) => styles[each]?.changes ?? Buffer.alloc(0))
  for (const list of [...lists, properties.subarray(2)])
    for (const [code, value] of changesIn(list, is97)) {
      if (code === change.inTable) found.isInTable = value[0] === 1
      else if (code === change.rowEnd) found.isRowEnd = value[0] === 1
      else if (code === change.level) found.level = value[0] ?? 0
      else if (code === change.list && value.length === 2)
        found.list = value.readUInt16LE(0) === 0 ? null : String(value.readUInt16LE(0))
      else if (code === change.numbering) found.numbering = value
      else if (code === change.numberLevel) found.numberLevel = value[0] ?? 0
      else if (code === change.cells) found.continued = continuedIn(value)
    }
  return found
}

/** The cells of a row, by their flags after the edges of the columns (MS-DOC 2.9.314). */
function continuedIn(value: Buffer): boolean[] {
  const count = value[0] ?? 0
  const start = 1 + 2 * (count + 1)
  return Array.from({ length: count }, (_, i) => (((value[start + 20 * i] ?? 0) >> 5) & 3) === 1)
}

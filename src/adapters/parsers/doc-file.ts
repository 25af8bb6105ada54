import { charsetOf } from '../../model/charset.ts'
import { lastUpTo } from './lines.ts'
import { countLists, type Level, type List, type ListNumbers } from './list-numbers.ts'

/** Parts of the text of a document of Word, in the order in which they stand one after the other (MS-DOC 2.4.2). */
export const stories = ['body', 'footnotes', 'headers', 'comments', 'endnotes', 'textBoxes', 'headerBoxes'] as const
export type Story = (typeof stories)[number]

export interface Paragraph {
  /** 1 to 9; 0 for other text. */
  heading: number
  /** Of lists, with the level in it from 0. */
  list: string | null
  level: number
  isInTable: boolean
  isRowEnd: boolean
  /** Of the end of a row: whether each cell continues the one above. */
  continued: readonly boolean[]
}

/** A document of Word 6 to 2003. Places in its text count characters from 0. */
export interface DocFile {
  /** Hidden and deleted characters are NUL. */
  text: string
  place(story: Story): { start: number; end: number }
  /** Of the paragraph that ends with this character. */
  paragraphAt(place: number): Paragraph
  numbers: ListNumbers
  /** The notes that characters of the body point at: where they stand in their story. */
  notes: ReadonlyMap<number, { start: number; end: number }>
  /** Where each header or footer ends and the next one begins, within its story. */
  headers: readonly number[]
}

interface Piece {
  /** Of its first character, in the text and in the file. */
  place: number
  offset: number
  length: number
  width: 1 | 2
}

/** What stands where in the first stream. Before Word 97, tables are there too, and properties are shorter. */
const layouts = {
  97: { counts: 0x4c, clx: 0x1a2, characters: 0xfa, paragraphs: 0x102, headers: 0xf2, styles: 0xa2 },
  6: { counts: 0x34, clx: 0x160, characters: 0xb8, paragraphs: 0xc0, headers: 0xb0, styles: 0 },
}
/** Tables of Word 97: where notes are pointed at, and their texts, by the story; definitions of lists and their uses. */
const noteTables = [
  ['footnotes', 0xaa, 0xb2, 2],
  ['comments', 0xba, 0xc2, 30],
  ['endnotes', 0x20a, 0x212, 2],
] as const
const [listTable, listUses] = [0x2e2, 0x2ea]

const pageBytes = 512
const compressed = 0x40000000

/** Throws where the document is damaged. */
export function openDoc(main: Buffer, tables: Buffer): DocFile {
  const is97 = main.readUInt16LE(2) >= 193
  const layout = is97 ? layouts[97] : layouts[6]
  const table = (at: number) => {
    const [offset, length] = [main.readUInt32LE(at), main.readUInt32LE(at + 4)]
    return tables.subarray(offset, offset + length)
  }
  const counts = stories.map((_, i) => main.readUInt32LE(layout.counts + 4 * (i > 2 ? i + 1 : i)))
  const ends = counts.map((_, i) => counts.slice(0, i + 1).reduce((sum, count) => sum + count, 0))
  const place = (story: Story) => {
    const i = stories.indexOf(story)
    return { start: ends[i - 1] ?? 0, end: Math.min(ends[i] ?? 0, main.length) }
  }
  const pieces = piecesOf(table(layout.clx), is97) ?? [
    { place: 0, offset: main.readUInt32LE(0x18), length: ends.at(-1) ?? 0, width: 1 },
  ]
  const optional = <T>(read: () => T, none: T): T => {
    try {
      return read()
    } catch {
      return none
    }
  }
  const hidden = is97 ? optional(() => hiddenIn(main, table(layout.characters)), []) : []
  const paragraphs = optional(() => propertiesOf(main, table(layout.paragraphs), is97 ? 13 : 7, is97), [])
  const styles = is97 ? optional(() => stylesOf(table(layout.styles)), []) : []
  const notes = new Map<number, { start: number; end: number }>()
  if (is97)
    for (const [story, uses, texts, bytes] of noteTables)
      optional(() => addNotes(notes, table(uses), bytes, table(texts), place(story).start), undefined)
  return {
    text: textOf(main, pieces, hidden, is97),
    place,
    paragraphAt: (at) => {
      const piece = pieces[lastUpTo(pieces, at, (each) => each.place)]
      const offset = piece ? piece.offset + (at - piece.place) * piece.width : -1
      const found = paragraphs[lastUpTo(paragraphs, offset, ({ start }) => start)]
      return paragraphOf(found && offset < found.end ? found.properties : Buffer.alloc(2), styles, is97)
    },
    numbers: countLists(is97 ? optional(() => listsOf(tables, main, table(listUses)), new Map()) : new Map()),
    notes,
    headers: optional(() => placesIn(table(layout.headers), 0), []),
  }
}

/** The places of a table: one more than its rows, which have this number of bytes (MS-DOC 2.2.2). */
function placesIn(table: Buffer, bytes: number): number[] {
  const count = Math.floor((table.length - 4) / (4 + bytes))
  return Array.from({ length: Math.max(0, count) + 1 }, (_, i) => table.readUInt32LE(4 * i))
}

/** The pieces that the text is put together of (MS-DOC 2.9.38); null where it is one. */
function piecesOf(clx: Buffer, is97: boolean): Piece[] | null {
  let at = 0
  while (clx[at] === 1) at += 3 + clx.readUInt16LE(at + 1)
  if (clx[at] !== 2) {
    if (is97) throw new RangeError('no pieces')
    return null
  }
  const table = clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1))
  const places = placesIn(table, 8)
  return places.slice(0, -1).map((start, i) => {
    const offset = table.readUInt32LE(4 * places.length + 8 * i + 2)
    const isNarrow = !is97 || (offset & compressed) !== 0
    return {
      place: start,
      offset: is97 && isNarrow ? (offset & ~compressed) / 2 : offset,
      length: Math.max(0, (places[i + 1] ?? start) - start),
      width: isNarrow ? 1 : 2,
    }
  })
}

function textOf(main: Buffer, pieces: readonly Piece[], hidden: readonly Range[], is97: boolean): string {
  if (pieces.reduce((sum, { length }) => sum + length, 0) > main.length)
    throw new RangeError('more characters than bytes')
  const parts: string[] = []
  const bytesOf = ({ offset, length, width }: Piece) => main.subarray(offset, offset + length * width)
  // Word 6 writes in the encoding of its country and does not say which.
  const charset = is97 ? 'windows-1252' : (charsetOf(Buffer.concat(pieces.map(bytesOf)).map(orBlank)) ?? 'windows-1252')
  const decoder = new TextDecoder(charset)
  for (const piece of pieces) {
    const bytes = bytesOf(piece)
    const whole = piece.width === 2 ? bytes.toString('utf16le') : decoder.decode(bytes)
    // An encoding of several bytes a character would move all that follows.
    const text = (whole.length === piece.length ? whole : bytes.toString('latin1')).padEnd(piece.length, '\0')
    let end = 0
    for (
      let i = Math.max(
        0,
        lastUpTo(hidden, piece.offset, ({ start }) => start),
      );
      i < hidden.length;
      i++
    ) {
      const { start: from, end: to } = hidden[i] as Range
      const start = Math.max(end, Math.ceil((from - piece.offset) / piece.width))
      const stop = Math.min(piece.length, Math.ceil((to - piece.offset) / piece.width))
      if (start >= piece.length) break
      if (stop <= start) continue
      parts.push(text.slice(end, start), '\0'.repeat(stop - start))
      end = stop
    }
    parts.push(text.slice(end))
  }
  return parts.join('')
}

const orBlank = (byte: number) => (byte < 32 ? 32 : byte)

interface Range {
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

interface Properties extends Range {
  /** The number of the style, then changes to it. */
  properties: Buffer
}

function propertiesOf(main: Buffer, table: Buffer, rowBytes: number, is97: boolean): Properties[] {
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
}
/** Bytes of a value by the three highest bits; 0: it begins with its length. */
const valueBytes = [1, 1, 2, 4, 2, 2, 0, 3]
/** Before Word 97, by the number of the change: those that come before the marks of a table. */
const oldBytes = [0, 0, 2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 2, 2, 2, 2, 4, 2, 2, 0, 1, 1]
const oldChanges = new Map([
  [24, change.inTable],
  [25, change.rowEnd],
])

function* changesIn(list: Buffer, is97 = true): Generator<[change: number, value: Buffer]> {
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

function hiddenIn(main: Buffer, table: Buffer): Range[] {
  const found: Range[] = []
  for (const { start, end, page, i, count } of rangesIn(main, table, true)) {
    const at = page.readUInt8(4 * (count + 1) + i) * 2
    if (at === 0) continue
    const list = page.subarray(at + 1, at + 1 + page.readUInt8(at))
    // 1, or 0x81: other than the style.
    for (const [code, value] of changesIn(list))
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
function stylesOf(table: Buffer): Style[] {
  const start = 2 + table.readUInt16LE(0)
  const [count, baseBytes] = [table.readUInt16LE(2), table.readUInt16LE(4)]
  const found: Style[] = []
  for (let at = start; found.length < count && at + 2 <= table.length; ) {
    const style = table.subarray(at + 2, at + 2 + table.readUInt16LE(at))
    at += 2 + style.length
    const isParagraph = style.length > baseBytes + 2 && (style.readUInt16LE(2) & 0xf) === 1
    // The name, with a zero after it.
    const upx = isParagraph ? baseBytes + 4 + 2 * style.readUInt16LE(baseBytes) : style.length
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

function paragraphOf(properties: Buffer, styles: readonly Style[], is97: boolean): Paragraph {
  const number = properties.readUInt16LE(0)
  const bases: number[] = []
  for (let at = number; at !== noStyle && bases.length < maxBases; at = styles[at]?.base ?? noStyle) bases.push(at)
  // The first styles are the headings, in every document.
  const heading = bases.find((each) => each >= 1 && each <= 9) ?? (styles[number]?.isTitle ? 1 : 0)
  const found: Paragraph = { heading, list: null, level: 0, isInTable: false, isRowEnd: false, continued: [] }
  const lists = bases.toReversed().map((each) => styles[each]?.changes ?? Buffer.alloc(0))
  for (const list of [...lists, properties.subarray(2)])
    for (const [code, value] of changesIn(list, is97)) {
      if (code === change.inTable) found.isInTable = value[0] === 1
      else if (code === change.rowEnd) found.isRowEnd = value[0] === 1
      else if (code === change.level) found.level = value[0] ?? 0
      else if (code === change.list && value.length === 2)
        found.list = value.readUInt16LE(0) === 0 ? null : String(value.readUInt16LE(0))
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

function addNotes(notes: Map<number, Range>, uses: Buffer, bytes: number, texts: Buffer, start: number): void {
  const places = placesIn(texts, 0)
  for (const [i, at] of placesIn(uses, bytes).slice(0, -1).entries())
    notes.set(at, { start: start + (places[i] ?? 0), end: start + (places[i + 1] ?? 0) })
}

/** How Word numbers a level (MS-OSHARED 2.2.1.3). */
const formats: Readonly<Record<number, string>> = {
  ...{
    1: 'upperRoman',
    2: 'lowerRoman',
    3: 'upperLetter',
    4: 'lowerLetter',
    22: 'decimalZero',
    23: 'bullet',
    255: 'none',
  },
}

/** Lists by the number that paragraphs name (MS-DOC 2.9.136, 2.9.134). */
function listsOf(tables: Buffer, main: Buffer, uses: Buffer): Map<string, List> {
  const start = main.readUInt32LE(listTable)
  const count = main.readUInt32LE(listTable + 4) < 2 ? 0 : tables.readUInt16LE(start)
  let at = start + 2 + 28 * count
  const levelAt = (): Level => {
    const [first, format] = [tables.readInt32LE(at), tables.readUInt8(at + 4)]
    at += 28 + tables.readUInt8(at + 24) + tables.readUInt8(at + 25)
    const text = tables.toString('utf16le', at + 2, at + 2 + 2 * tables.readUInt16LE(at))
    at += 2 + 2 * tables.readUInt16LE(at)
    return {
      start: first,
      format: formats[format] ?? 'decimal',
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the numbers of the levels stand so in it.
      text: text.replace(/[\0-\x08]/g, (level) => `%${level.charCodeAt(0) + 1}`),
    }
  }
  const definitions = new Map<number, List>()
  for (let i = 0; i < count; i++) {
    const one = start + 2 + 28 * i
    const isSimple = (tables.readUInt8(one + 26) & 1) === 1
    const levels = Array.from({ length: isSimple ? 1 : 9 }, levelAt)
    definitions.set(tables.readInt32LE(one), { levels: new Map(levels.entries()), counts: [] })
  }
  const found = new Map<string, List>()
  const useCount = uses.length < 4 ? 0 : uses.readUInt32LE(0)
  at = main.readUInt32LE(listUses) + 4 + 16 * useCount
  for (let i = 0; i < useCount; i++) {
    const own = definitions.get(uses.readInt32LE(4 + 16 * i))
    const changes = uses.readUInt8(4 + 16 * i + 12)
    at += 4
    const levels = new Map(own?.levels)
    for (let n = 0; n < changes; n++) {
      const [first, flags] = [tables.readInt32LE(at), tables.readUInt8(at + 4)]
      at += 8
      const level = (flags & 0x20) !== 0 ? levelAt() : levels.get(flags & 0xf)
      if (level)
        levels.set(flags & 0xf, (flags & 0x10) !== 0 && (flags & 0x20) === 0 ? { ...level, start: first } : level)
    }
    if (own) found.set(String(i + 1), changes > 0 ? { levels, counts: [] } : own)
  }
  return found
}

import { charsetOf } from '../../model/charset.ts'
import { listsOf, oldLists } from './doc-lists.ts'
import {
  hiddenIn,
  type Paragraph,
  paragraphOf,
  placesIn,
  propertiesOf,
  type Range,
  stylesOf,
} from './doc-properties.ts'
import { lastUpTo } from './lines.ts'
import { countLists, type ListNumbers } from './list-numbers.ts'

/** Parts of the text of a document of Word, in the order in which they stand one after the other (MS-DOC 2.4.2). */
export const stories = ['body', 'footnotes', 'headers', 'comments', 'endnotes', 'textBoxes', 'headerBoxes'] as const
export type Story = (typeof stories)[number]

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
  6: { counts: 0x34, clx: 0x160, characters: 0xb8, paragraphs: 0xc0, headers: 0xb0, styles: 0x60 },
}
/** Tables of Word 97: where notes are pointed at, and their texts, by the story. */
const noteTables = [
  ['footnotes', 0xaa, 0xb2, 2],
  ['comments', 0xba, 0xc2, 30],
  ['endnotes', 0x20a, 0x212, 2],
] as const

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
  const hidden = optional(() => hiddenIn(main, table(layout.characters), is97), [])
  const paragraphs = optional(() => propertiesOf(main, table(layout.paragraphs), is97 ? 13 : 7, is97), [])
  const styles = optional(() => stylesOf(table(layout.styles), is97), [])
  const notes = new Map<number, { start: number; end: number }>()
  if (is97)
    for (const [story, uses, texts, bytes] of noteTables)
      optional(() => addNotes(notes, table(uses), bytes, table(texts), place(story).start), undefined)
  const before97 = is97 ? null : oldLists(paragraphs, (each) => paragraphOf(each.properties, styles, false))
  return {
    text: textOf(main, pieces, hidden, is97),
    place,
    paragraphAt: (at) => {
      const piece = pieces[lastUpTo(pieces, at, (each) => each.place)]
      const offset = piece ? piece.offset + (at - piece.place) * piece.width : -1
      const found = paragraphs[lastUpTo(paragraphs, offset, ({ start }) => start)]
      const own = found && offset < found.end ? found : undefined
      const paragraph = paragraphOf(own?.properties ?? Buffer.alloc(2), styles, is97)
      return { ...paragraph, ...(own && before97?.places.get(own.start)) }
    },
    numbers: countLists(before97?.lists ?? optional(() => listsOf(tables, main), new Map())),
    notes,
    headers: optional(() => placesIn(table(layout.headers), 0), []),
  }
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

function addNotes(notes: Map<number, Range>, uses: Buffer, bytes: number, texts: Buffer, start: number): void {
  const places = placesIn(texts, 0)
  for (const [i, at] of placesIn(uses, bytes).slice(0, -1).entries())
    notes.set(at, { start: start + (places[i] ?? 0), end: start + (places[i + 1] ?? 0) })
}

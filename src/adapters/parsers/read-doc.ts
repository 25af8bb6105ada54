import type { OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { type DocFile, openDoc, type Story } from './doc-file.ts'
import { embeddedObjects, openCompound, withPictures } from './ole.ts'
import { type Cell, OpenTable, oneLine, TextBuilder } from './text-builder.ts'

/**
 * A document of Word 6 to 2003: its body with notes and comments at their places, then text boxes, headers and footers,
 * each once.
 */
export async function readDoc(file: OpenFile): Promise<Structure> {
  const bytes = await file.readAll()
  const compound = await openCompound(bytes)
  const main = Buffer.from(compound.stream('/WordDocument') ?? [])
  if (main.length < 32) throw damaged()
  const flags = main.readUInt16LE(10)
  if ((flags & 0x100) !== 0) throw new ParseError('locked', 'The document opens only with a password.')
  const table = compound.stream((flags & 0x200) !== 0 ? '/1Table' : '/0Table')
  const out = new TextBuilder()
  try {
    const is97 = main.readUInt16LE(2) >= 193
    addDocument(openDoc(main, is97 ? Buffer.from(table ?? []) : main), out)
  } catch (error) {
    throw error instanceof ParseError ? error : damaged()
  }
  const attachments = withPictures([compound.stream('/Data'), main], await embeddedObjects(bytes))
  return out.structure('application/msword', attachments, compound.title())
}

const damaged = () => new ParseError('malformed', 'The document is damaged.')

function addDocument(document: DocFile, out: TextBuilder): void {
  const reader = new StoryReader(document, out)
  const { start, end } = document.place('body')
  reader.add(start, end)
  out.endSections()
  const box = (story: Story) => {
    const { start, end } = document.place(story)
    reader.add(start, end)
  }
  box('textBoxes')
  const first = document.place('headers').start
  const seen = new Set<string>()
  // The first six are lines above notes.
  for (const [i, from] of document.headers.entries()) {
    const to = Math.max(from, document.headers[i + 1] ?? from)
    const text = document.text.slice(first + from, first + to)
    if (i > 5 && !seen.has(text) && /\p{L}/u.test(text)) reader.add(first + from, first + to)
    seen.add(text)
  }
  box('headerBoxes')
}

/** Characters that stand for something (MS-DOC 2.4.1). */
const marks = {
  ...{
    cell: '\x07',
    line: '\v',
    page: '\f',
    paragraph: '\r',
    column: '\x0e',
    hyphen: '\x1e',
    note: '\x02',
    comment: '\x05',
  },
  ...{ field: '\x13', result: '\x14', fieldEnd: '\x15' },
}

class StoryReader {
  readonly #document: DocFile
  readonly #out: TextBuilder
  readonly #table: OpenTable
  #noteCount = 0

  constructor(document: DocFile, out: TextBuilder) {
    this.#document = document
    this.#out = out
    this.#table = new OpenTable(out)
  }

  add(start: number, end: number): void {
    let cells: Cell[] = []
    let line = ''
    let notes: string[] = []
    // Whether each field that is open still says what is to be put there, and not yet the result.
    const fields: boolean[] = []
    for (let at = start; at < Math.min(end, this.#document.text.length); at++) {
      const character = this.#document.text[at] ?? ''
      if (character === marks.field) fields.push(true)
      else if (character === marks.result && fields.length > 0) fields[fields.length - 1] = false
      else if (character === marks.fieldEnd) fields.pop()
      else if (fields.includes(true)) continue
      else if (character === marks.note || character === marks.comment) notes.push(...this.#noteAt(at))
      else if (character === marks.paragraph || character === marks.cell || character === marks.page) {
        const { isInTable, isRowEnd, continued, ...kind } = this.#document.paragraphAt(at)
        if (!isInTable && character !== marks.cell) {
          this.#table.end()
          this.#addParagraph(line.trim(), notes, kind)
        } else if (isRowEnd) {
          this.#addRow(cells, continued)
          cells = []
        } else {
          const mark = line.trim() === '' ? '' : this.#markOf(kind)
          const text = [mark + line, ...notes].join('\n')
          const open = cells.at(-1)
          if (open && open.columns === 0) open.text += `\n${text}`
          else cells.push({ text, columns: 0 })
          const cell = cells.at(-1)
          if (cell && character === marks.cell) cell.columns = 1
        }
        line = ''
        notes = []
      } else line += shown(character)
    }
    if (cells.length > 0) this.#addRow(cells, [])
    this.#table.end()
    this.#addParagraph(line.trim(), notes, { heading: 0, list: null, level: 0 })
  }

  #noteAt(at: number): string[] {
    const note = this.#document.notes.get(at)
    if (!note) return []
    const inner = new TextBuilder()
    new StoryReader({ ...this.#document, notes: new Map() }, inner).add(note.start, note.end)
    const text = oneLine(inner.text)
    return text === '' ? [] : [`[${++this.#noteCount}] ${text}`]
  }

  #markOf({ list, level }: { list: string | null; level: number }): string {
    const mark = list === null ? '' : this.#document.numbers.next(list, level)
    return mark === '' ? '' : `${mark} `
  }

  #addParagraph(text: string, notes: readonly string[], kind: { heading: number; list: string | null; level: number }) {
    const line = text === '' ? '' : this.#markOf(kind) + text
    this.#out.addLine(line, notes, kind.heading)
  }

  #addRow(cells: readonly Cell[], continued: readonly boolean[]): void {
    this.#table.add(cells.map(({ text }, i) => ({ text, goesOn: continued[i] && text.trim() === '' })))
  }
}

/** What a character shows in the text. */
function shown(character: string): string {
  if (character === marks.line || character === marks.column) return '\n'
  if (character === marks.hyphen) return '-'
  return character < ' ' && character !== '\t' ? '' : character
}

import { charsetOfPage } from '../../model/charset.ts'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { packagedObject } from './ole.ts'
import { isLarge } from './picture-size.ts'
import { type Cell, OpenTable, oneLine, TextBuilder } from './text-builder.ts'

/** A document in Rich Text Format 1.9: paragraphs, tables, notes at their places; then headers and footers, each once. */
export async function readRtf(file: OpenFile): Promise<Structure> {
  const reader = new RtfReader(charactersOf(await file.readAll()))
  const attachments = [...reader.pictures]
  for (const object of reader.objects) {
    const found = await packagedObject(object, `object-${attachments.length + 1}`)
    if (found) attachments.push(found)
  }
  return reader.out.structure('application/rtf', attachments, reader.title)
}

export const rtfText = (bytes: Uint8Array): string => new RtfReader(charactersOf(bytes)).out.text

/** A character a byte. */
const charactersOf = ({ buffer, byteOffset, length }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, length).toString('latin1')

/** What a group of braces is, and what its text goes to. */
interface Group {
  /** `left`: what no reader sees. */
  kind: 'text' | 'left' | 'fonts' | 'styles' | 'picture' | 'object' | 'note' | 'box' | 'page' | 'label' | 'title'
  sink: Sink
  hidden: boolean
  /** Characters after `\u` that stand for it where a reader knows no Unicode. */
  fallback: number
  font: number
}

interface Row {
  cells: string[]
  /** By column: whether it is a part of the cell above or on the left. */
  merges: { up: boolean; left: boolean }[]
  isHeader: boolean
}

const maxDepth = 10_000

const charsets: Readonly<Record<number, string>> = {
  ...{ 77: 'macintosh', 128: 'shift_jis', 129: 'euc-kr', 134: 'gbk', 136: 'big5', 161: 'windows-1253' },
  ...{ 162: 'windows-1254', 163: 'windows-1258', 177: 'windows-1255', 178: 'windows-1256', 186: 'windows-1257' },
  ...{ 204: 'windows-1251', 222: 'windows-874', 238: 'windows-1250' },
}

const symbols: Readonly<Record<string, string>> = {
  ...{ tab: '\t', line: '\n', lbr: '\n', emdash: '\u2014', endash: '\u2013', bullet: '\u2022', lquote: '\u2018' },
  ...{ rquote: '\u2019', ldblquote: '\u201c', rdblquote: '\u201d', emspace: ' ', enspace: ' ', qmspace: ' ' },
}

/** Groups by the word that they begin with. Those with `*` before a word that is not here are left out too. */
const kinds = new Map(
  Object.entries({
    fonts: 'fonttbl',
    styles: 'stylesheet',
    picture: 'pict',
    object: 'objdata',
    note: 'footnote annotation',
    page: 'header headerl headerr headerf footer footerl footerr footerf',
    box: 'shptxt',
    label: 'listtext pntext',
    title: 'title',
    left:
      'colortbl author operator subject keywords doccomm comment company manager category generator fldinst listtable listoverridetable bkmkstart bkmkend ' +
      'nonshppict sn sv filetbl revtbl pntxta pntxtb atnid atnauthor atnref atndate objclass objname template background ftnsep ftnsepc aftnsep',
  }).flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind as Group['kind']] as const)),
)
/** Groups with `*` before their word that hold what readers see. */
const shown = new Set('shppict shpinst shpgrp pn nesttableprops do dptxbx dptxbxtext svb fldrslt'.split(' '))

/** Text that comes in pieces of a few characters, of which a paragraph may have millions: they take less memory joined. */
class Sink {
  #text = ''
  #pieces: string[] = []

  add(piece: string): void {
    if (this.#pieces.push(piece) < 1_000) return
    this.#text += this.#pieces.join('')
    this.#pieces = []
  }

  take(): string {
    const text = this.#text + this.#pieces.join('')
    this.#text = ''
    this.#pieces = []
    return text.trim()
  }
}

/** A control word with its number, bytes by their codes, another control, a brace, and bytes as they are. */
const tokens =
  /\\([a-zA-Z]{1,40})(-?\d{1,11})? ?|((?:\\'[\da-fA-F]{2})+)|\\('..|[^a-zA-Z])|([{}])|([^\\{}\r\n\0]{1,60000})|[\r\n\0]+/sy

class RtfReader {
  readonly out = new TextBuilder()
  readonly pictures: Attachment[] = []
  readonly objects: Buffer[] = []
  title = ''
  readonly #main = new Sink()
  readonly #fonts = new Map<number, string>()
  readonly #levels = new Map<number, number>()
  readonly #pageLines = new Set<string>()
  #groups: Group[] = [{ kind: 'text', sink: this.#main, hidden: false, fallback: 1, font: -1 }]
  #charset = 'windows-1252'
  readonly #decoders = new Map<string, TextDecoder>()
  #skip = 0
  /** Whether a group has just begun: only there `*` says something. */
  #starts = false
  #isStarred = false
  #notes: string[] = []
  #noteCount = 0
  #boxes: string[] = []
  #level = 0
  #inTable = false
  #row: Row = { cells: [], merges: [], isHeader: false }
  #merge = { up: false, left: false }
  readonly #table = new OpenTable(this.out)

  constructor(text: string) {
    tokens.lastIndex = 0
    for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
      const [, word, number, codes, symbol, brace, bytes] = found
      if (bytes !== undefined) this.#decode(Buffer.from(bytes, 'latin1'))
      else if (codes !== undefined) this.#decode(Buffer.from(codes.replaceAll("\\'", ''), 'hex'))
      else if (word === 'bin') tokens.lastIndex += Math.max(0, Number(number ?? 0))
      else this.#control(word, number, symbol, brace)
      if (word ?? codes ?? symbol ?? brace ?? bytes) this.#starts = brace === '{'
    }
    this.#flush()
    if (this.#row.cells.length > 0) this.#endRow(this.#row)
    this.#endParagraph()
    this.#table.end()
    this.out.endSections()
    for (const line of this.#pageLines) this.out.add(line)
  }

  get #group(): Group {
    return this.#groups.at(-1) as Group
  }

  #control(word?: string, number?: string, symbol?: string, brace?: string): void {
    if (word ?? symbol ?? brace) this.#flush()
    if (brace === '{') {
      this.#groups.push({ ...this.#group })
      if (this.#groups.length > maxDepth) throw new ParseError('malformed', 'The document is nested too deep.')
    } else if (brace === '}') this.#close()
    else if (word !== undefined && this.#skip === 0) this.#word(word, number === undefined ? null : Number(number))
    else if (word !== undefined) this.#skip--
    else if (symbol === '*') this.#isStarred = this.#starts
    else if (symbol === '\n' || symbol === '\r') this.#word('par', null)
    else if (symbol === '~') this.#emit('\u00a0')
    else if (symbol === '_') this.#emit('-')
    else if (symbol !== undefined && '\\{}'.includes(symbol)) this.#emit(symbol)
  }

  #word(word: string, number: number | null): void {
    const group = this.#group
    const starred = this.#isStarred
    this.#isStarred = false
    const kind = kinds.get(word) ?? (starred && !shown.has(word) ? 'left' : undefined)
    if (group.kind === 'left') return
    if (kind !== undefined) {
      group.kind = kind
      if (kind !== 'left') group.sink = new Sink()
    } else if (word === 'u' && number !== null) {
      this.#emit(String.fromCharCode(number & 0xffff))
      this.#skip = group.fallback
    } else if (word === 'uc') group.fallback = Math.max(0, Math.min(number ?? 1, 16))
    else if (word === 'f') group.font = number ?? 0
    else if (word === 'fcharset' && group.kind === 'fonts') {
      // Where characters have several bytes, a Latin font has others; elsewhere it has those of the document.
      const latin = /^(shift|euc|gb|big5)/.test(this.#charset) ? 'windows-1252' : ''
      this.#fonts.set(group.font, charsets[number ?? 0] ?? latin)
    } else if (word === 'ansicpg') this.#charset = charsetOfPage(number ?? 0)
    else if (word === 'v' || word === 'deleted') group.hidden = number !== 0
    else if (word === 'plain') group.hidden = false
    else if (Object.hasOwn(symbols, word)) this.#emit(symbols[word] ?? '')
    else if (group.kind === 'styles' && /^(s|outlinelevel)$/.test(word)) group.sink.add(`\0${word[0]}${number ?? 9}\0`)
    else if (group.kind === 'picture') group.sink.add(/^(png|jpeg)blip$/.test(word) ? `${word} ` : '')
    else this.#structure(word, number)
  }

  #structure(word: string, number: number | null): void {
    const isMain = this.#group.sink === this.#main
    if (word === 'par' || word === 'sect' || word === 'page') {
      if (!isMain || this.#inTable) this.#emit('\n')
      else this.#endParagraph()
    } else if (word === 'pard') {
      this.#inTable = false
      this.#level = 0
    } else if (word === 'intbl') this.#inTable = true
    else if (word === 'outlinelevel') this.#level = (number ?? 9) < 9 ? (number ?? 0) + 1 : 0
    else if (word === 's') this.#level = this.#levels.get(number ?? 0) ?? this.#level
    else if (!isMain) this.#emit(/^(nest)?row$/.test(word) ? '\n' : /^(nest)?cell$/.test(word) ? '\t' : '')
    else if (word === 'trowd') this.#row = { cells: this.#row.cells, merges: [], isHeader: false }
    else if (word === 'trhdr') this.#row.isHeader = true
    else if (word === 'clvmrg') this.#merge.up = true
    else if (word === 'clmrg') this.#merge.left = true
    else if (word === 'cellx') {
      this.#row.merges.push(this.#merge)
      this.#merge = { up: false, left: false }
    } else if (word === 'cell') {
      this.#row.cells.push([this.#main.take(), ...this.#boxes, ...this.#notes].join(' '))
      this.#boxes = []
      this.#notes = []
    } else if (word === 'row') {
      this.#endRow(this.#row)
      this.#row = { cells: [], merges: this.#row.merges, isHeader: false }
    } else if (word === 'nestcell' || word === 'nestrow') this.#emit(' ')
  }

  #emit(text: string): void {
    const { kind, hidden, sink } = this.#group
    if (text === '' || hidden || kind === 'left' || kind === 'fonts') return
    const isBetween = sink === this.#main && !this.#inTable && this.#row.cells.length === 0
    if (isBetween && text.trim() !== '') this.#table.end()
    sink.add(text)
  }

  /** Characters of several bytes may go on in what comes next. */
  #decode(bytes: Buffer): void {
    const { kind, sink } = this.#group
    const skipped = Math.min(this.#skip, bytes.length)
    this.#skip -= skipped
    if (kind === 'picture' || kind === 'object') sink.add(bytes.toString('latin1'))
    else this.#emit(this.#decoder().decode(bytes.subarray(skipped), { stream: true }))
  }

  #flush(): void {
    this.#emit(this.#decoder().decode())
  }

  #decoder(): TextDecoder {
    const charset = this.#fonts.get(this.#group.font) || this.#charset
    const decoder = this.#decoders.get(charset) ?? new TextDecoder(charset)
    this.#decoders.set(charset, decoder)
    return decoder
  }

  #close(): void {
    if (this.#groups.length === 1) return
    const { kind, sink, hidden } = this.#groups.pop() as Group
    this.#isStarred = false
    this.#skip = 0
    if (sink === this.#group.sink || hidden) return
    const text = sink.take()
    if (kind === 'styles') this.#addStyles(text)
    else if (kind === 'picture') this.#addPicture(text)
    else if (kind === 'object') this.objects.push(Buffer.from(text.replace(/\s+/g, ''), 'hex'))
    else if (text === '') return
    else if (kind === 'title') this.title = oneLine(text)
    else if (kind === 'label') this.#emit(/[\p{L}\p{N}]/u.test(text) ? `${text} ` : '- ')
    else if (kind === 'note') this.#notes.push(`[${++this.#noteCount}] ${oneLine(text)}`)
    else if (kind === 'box') this.#boxes.push(text)
    else if (kind === 'page' && /\p{L}/u.test(text)) this.#pageLines.add(text)
  }

  /** Numbers and levels stand before the name, which is `heading 1` where it is one. */
  #addStyles(names: string): void {
    for (const [, style, outline = '9', name = ''] of names.matchAll(/\0s(\d+)\0\s*(?:\0o(\d)\0)?([^;\0]*)/g)) {
      const level = /^(?:heading |title$)([1-9]?)/i.exec(name.trim())
      if (level || outline !== '9')
        this.#levels.set(Number(style), Number(level ? level[1] || 1 : outline) + (level ? 0 : 1))
    }
  }

  #addPicture(text: string): void {
    const [, kind, digits = ''] = /^(png|jpeg)blip (.*)$/s.exec(text) ?? []
    const bytes = Buffer.from(digits.replace(/\s+/g, ''), 'hex')
    const name = `picture-${this.pictures.length + 1}.${kind === 'png' ? 'png' : 'jpg'}`
    if (isLarge(bytes)) this.pictures.push({ name, bytes })
  }

  #endParagraph(): void {
    const text = this.#main.take()
    if (text !== '' || this.#notes.length > 0) {
      this.#table.end()
      this.out.addLine(text, this.#notes, this.#level)
    }
    for (const box of this.#boxes) this.out.add(box)
    this.#notes = []
    this.#boxes = []
  }

  #endRow({ cells, merges, isHeader }: Row): void {
    const row: (Cell & { columns: number })[] = []
    cells.forEach((text, i) => {
      const last = row.at(-1)
      if (merges[i]?.left && last) last.columns++
      else row.push({ text, columns: 1, goesOn: merges[i]?.up })
    })
    this.#table.add(row, isHeader)
  }
}

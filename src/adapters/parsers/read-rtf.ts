import { charsetOfPage } from '../../model/charset.ts'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { packagedObject } from './ole.ts'
import { isLarge } from './picture-size.ts'
import { type Cell, oneLine, TextBuilder } from './text-builder.ts'

/** A document in Rich Text Format 1.9: paragraphs, tables, notes at their places; then headers and footers, each once. */
export async function readRtf(file: OpenFile): Promise<Structure> {
  const reader = new RtfReader(Buffer.from(await file.readAll()))
  const attachments = [...reader.pictures]
  for (const object of reader.objects) {
    const found = await packagedObject(object, `object-${attachments.length + 1}`)
    if (found) attachments.push(found)
  }
  return reader.out.structure('application/rtf', attachments, reader.title)
}

export const rtfText = (bytes: Uint8Array): string => new RtfReader(Buffer.from(bytes)).out.text

/** What a group of braces is, and what its text goes to. */
interface Group {
  /** `left`: what no reader sees. */
  kind: 'text' | 'left' | 'fonts' | 'styles' | 'picture' | 'object' | 'note' | 'box' | 'page' | 'label' | 'title'
  sink: { text: string }
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
const kinds: Readonly<Record<string, Group['kind']>> = {
  ...{
    fonttbl: 'fonts',
    stylesheet: 'styles',
    pict: 'picture',
    objdata: 'object',
    footnote: 'note',
    annotation: 'note',
  },
  ...{ header: 'page', headerl: 'page', headerr: 'page', headerf: 'page', footer: 'page', footerl: 'page' },
  ...{ footerr: 'page', footerf: 'page', shptxt: 'box', listtext: 'label', pntext: 'label', title: 'title' },
  ...Object.fromEntries(
    (
      'colortbl author operator subject keywords doccomm comment company manager category generator fldinst listtable listoverridetable rsidtbl themedata colorschememapping latentstyles ' +
      'datastore xmlnstbl mmathPr bkmkstart bkmkend nonshppict sn sv filetbl revtbl pntxta pntxtb atnid atnauthor ' +
      'atnref atndate objclass objname template background userprops wgrffmtfilter pgptbl ftnsep ftnsepc aftnsep'
    )
      .split(' ')
      .map((word) => [word, 'left' as const]),
  ),
}
/** Groups with `*` before their word that hold what readers see. */
const shown = new Set([
  'shppict',
  'shpinst',
  'shpgrp',
  'pn',
  'nesttableprops',
  'do',
  'dptxbx',
  'dptxbxtext',
  'svb',
  'fldrslt',
])

class RtfReader {
  readonly out = new TextBuilder()
  readonly pictures: Attachment[] = []
  readonly objects: Buffer[] = []
  title = ''
  readonly #data: Buffer
  readonly #main = { text: '' }
  readonly #fonts = new Map<number, string>()
  readonly #levels = new Map<number, number>()
  readonly #pageLines = new Set<string>()
  #groups: Group[] = [{ kind: 'text', sink: this.#main, hidden: false, fallback: 1, font: -1 }]
  #charset = 'windows-1252'
  /** Bytes of text that are not decoded yet. */
  #bytes: number[] = []
  #skip = 0
  #isStarred = false
  #notes: string[] = []
  #noteCount = 0
  #boxes: string[] = []
  #level = 0
  #style = 0
  #inTable = false
  #row: Row = { cells: [], merges: [], isHeader: false }
  #merge = { up: false, left: false }
  #table: Row[] = []

  constructor(data: Buffer) {
    this.#data = data
    let at = 0
    while (at < data.length) at = this.#read(at)
    this.#flush()
    this.#endParagraph()
    this.#endTable()
    this.out.endSections()
    for (const line of this.#pageLines) this.out.add(line)
  }

  get #group(): Group {
    return this.#groups.at(-1) as Group
  }

  /** Reads one token; returns where the next one starts. */
  #read(at: number): number {
    const byte = this.#data[at]
    if (byte === 0x7b) {
      this.#flush()
      this.#groups.push({ ...this.#group })
      if (this.#groups.length > maxDepth) throw new ParseError('malformed', 'The document is nested too deep.')
      return at + 1
    }
    if (byte === 0x7d) {
      this.#flush()
      this.#close()
      return at + 1
    }
    if (byte === 0x5c) return this.#control(at + 1)
    // Some programs end the file with a zero.
    if (byte === 0x0d || byte === 0x0a || byte === 0) return at + 1
    const { kind, sink } = this.#group
    if (kind === 'picture' || kind === 'object') {
      // Digits of many bytes: a stretch at a time.
      let end = at + 1
      while (end < this.#data.length && !isMark(this.#data[end])) end++
      sink.text += this.#data.toString('latin1', at, end)
      return end
    }
    if (this.#skip > 0) this.#skip--
    else if (byte !== undefined) this.#bytes.push(byte)
    return at + 1
  }

  #control(at: number): number {
    const byte = this.#data[at] ?? 0
    if (byte === 0x27) {
      const code = Number.parseInt(this.#data.toString('latin1', at + 1, at + 3), 16)
      if (this.#skip > 0) this.#skip--
      else if (!Number.isNaN(code)) this.#bytes.push(code)
      return at + 3
    }
    this.#flush()
    let end = at
    while (isLetter(this.#data[end]) && end - at < 40) end++
    if (end === at) {
      this.#symbol(String.fromCharCode(byte))
      return at + 1
    }
    const word = this.#data.toString('latin1', at, end)
    const from = end
    if (this.#data[end] === 0x2d) end++
    while (isDigit(this.#data[end]) && end - from < 12) end++
    const number = end > from ? Number(this.#data.toString('latin1', from, end)) : null
    if (this.#data[end] === 0x20) end++
    if (word === 'bin') return end + Math.max(0, number ?? 0)
    if (this.#skip > 0) this.#skip--
    else this.#word(word, number)
    return end
  }

  #symbol(symbol: string): void {
    if (symbol === '*') this.#isStarred = true
    else if (symbol === '\n' || symbol === '\r') this.#word('par', null)
    else if (symbol === '~') this.#emit('\u00a0')
    else if (symbol === '_') this.#emit('-')
    else if ('\\{}'.includes(symbol)) this.#emit(symbol)
  }

  #word(word: string, number: number | null): void {
    const group = this.#group
    const starred = this.#isStarred
    this.#isStarred = false
    const kind = Object.hasOwn(kinds, word) ? kinds[word] : starred && !shown.has(word) ? 'left' : undefined
    if (kind !== undefined) {
      if (group.kind !== 'left') this.#enter(group, kind)
    } else if (group.kind === 'left') return
    else if (word === 'u' && number !== null) {
      this.#emit(String.fromCharCode(number & 0xffff))
      this.#skip = group.fallback
    } else if (word === 'uc') group.fallback = Math.max(0, Math.min(number ?? 1, 16))
    else if (word === 'f') group.font = number ?? 0
    else if (word === 'fcharset' && group.kind === 'fonts') this.#fonts.set(group.font, charsets[number ?? 0] ?? '')
    else if (word === 'ansicpg') this.#charset = charsetOfPage(number ?? 0)
    else if (word === 'v' || word === 'deleted') group.hidden = number !== 0
    else if (word === 'plain') group.hidden = false
    else if (Object.hasOwn(symbols, word)) this.#emit(symbols[word] ?? '')
    else if (group.kind === 'styles') this.#styleWord(word, number)
    else if (group.kind === 'picture') group.sink.text = /^(png|jpeg)blip$/.test(word) ? `${word} ` : group.sink.text
    else this.#structure(word, number)
  }

  #enter(group: Group, kind: Group['kind']): void {
    group.kind = kind
    if (kind !== 'text' && kind !== 'left') group.sink = { text: '' }
    this.#style = 0
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
    else if (!isMain) {
      if (/^(nest)?(cell|row)$/.test(word)) this.#emit(word.endsWith('row') ? '\n' : '\t')
    } else if (word === 'trowd') this.#row = { cells: this.#row.cells, merges: [], isHeader: false }
    else if (word === 'trhdr') this.#row.isHeader = true
    else if (word === 'clvmrg') this.#merge.up = true
    else if (word === 'clmrg') this.#merge.left = true
    else if (word === 'cellx') {
      this.#row.merges.push(this.#merge)
      this.#merge = { up: false, left: false }
    } else if (word === 'cell') {
      this.#row.cells.push([this.#main.text, ...this.#boxes, ...this.#notes].join(' '))
      this.#main.text = ''
      this.#boxes = []
      this.#notes = []
    } else if (word === 'row') {
      this.#table.push(this.#row)
      this.#row = { cells: [], merges: this.#row.merges, isHeader: false }
    } else if (word === 'nestcell' || word === 'nestrow') this.#emit(' ')
  }

  /** The number of a style, before its name. */
  #styleWord(word: string, number: number | null): void {
    if (word === 's') {
      this.#style = number ?? 0
      this.#group.sink.text += `\0${this.#style}\0`
    }
    if (word === 'outlinelevel' && number !== null && number < 9) this.#levels.set(this.#style, number + 1)
  }

  #emit(text: string): void {
    const { kind, hidden, sink } = this.#group
    if (hidden || kind === 'left' || kind === 'fonts') return
    if (
      sink === this.#main &&
      !this.#inTable &&
      this.#table.length > 0 &&
      this.#row.cells.length === 0 &&
      text.trim() !== ''
    )
      this.#endTable()
    sink.text += text
  }

  #flush(): void {
    if (this.#bytes.length === 0) return
    const charset = this.#fonts.get(this.#group.font) || this.#charset
    const bytes = Buffer.from(this.#bytes)
    this.#bytes = []
    this.#emit(new TextDecoder(charset).decode(bytes))
  }

  #close(): void {
    if (this.#groups.length === 1) return
    const { kind, sink, hidden } = this.#groups.pop() as Group
    this.#isStarred = false
    this.#skip = 0
    if (sink === this.#group.sink || hidden) return
    const text = sink.text.trim()
    if (kind === 'styles') this.#addStyles(text)
    else if (kind === 'picture') this.#addPicture(text)
    else if (kind === 'object') this.objects.push(Buffer.from(text.replace(/\s+/g, ''), 'hex'))
    else if (text === '') return
    // What stands before an item of a list, and a tab.
    else if (kind === 'title') this.title = oneLine(text)
    else if (kind === 'label') this.#emit(/[\p{L}\p{N}]/u.test(text) ? `${text} ` : '- ')
    else if (kind === 'note') this.#notes.push(`[${++this.#noteCount}] ${oneLine(text)}`)
    else if (kind === 'box') this.#boxes.push(text)
    else if (kind === 'page' && /\p{L}/u.test(text)) this.#pageLines.add(text)
  }

  /** A style is called `heading 1` where it is one. */
  #addStyles(names: string): void {
    for (const [, style, name] of names.matchAll(/\0(\d+)\0([^;\0]*)/g)) {
      const level = /^(?:heading |title$)([1-9]?)/i.exec(name?.trim() ?? '')
      if (level) this.#levels.set(Number(style), Number(level[1] || 1))
    }
  }

  #addPicture(text: string): void {
    const [, kind, digits = ''] = /^(png|jpeg)blip (.*)$/s.exec(text) ?? []
    if (!kind) return
    const bytes = Buffer.from(digits.replace(/\s+/g, ''), 'hex')
    if (isLarge(bytes))
      this.pictures.push({ name: `picture-${this.pictures.length + 1}.${kind === 'png' ? 'png' : 'jpg'}`, bytes })
  }

  #endParagraph(): void {
    const text = this.#main.text.trim()
    if (text !== '' || this.#notes.length > 0) {
      this.#endTable()
      this.out.addLine(text, this.#notes, this.#level)
    }
    for (const box of this.#boxes) this.out.add(box)
    this.#main.text = ''
    this.#notes = []
    this.#boxes = []
  }

  #endTable(): void {
    const rows = this.#table
    this.#table = []
    const cells = rows.map(({ cells, merges }) => {
      const row: (Cell & { columns: number })[] = []
      cells.forEach((text, i) => {
        const last = row.at(-1)
        if (merges[i]?.left && last) last.columns++
        else row.push({ text, columns: 1, goesOn: merges[i]?.up })
      })
      return row
    })
    const marked = rows.findIndex(({ isHeader }) => !isHeader)
    if (cells.every((row) => row.length < 2)) for (const [cell] of cells) this.out.add((cell?.text ?? '').trim())
    else this.out.addTable(cells, Math.max(0, marked))
  }
}

const isMark = (byte: number | undefined) => byte === 0x5c || byte === 0x7b || byte === 0x7d
const isLetter = (byte = 0) => (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90)
const isDigit = (byte = 0) => byte >= 48 && byte <= 57

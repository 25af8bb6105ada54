import type { OpenFile, Structure } from '../../ports/format.ts'
import { numeral } from './list-numbers.ts'
import { Paragraphs } from './paragraphs.ts'
import type { Cell } from './text-builder.ts'

const delimiter = /^(-{4,}|\.{4,}|`{3,}\S*|\/{4,}|\+{4,}|[|,:!]={3,})\s*$/
/** A file's attributes may make its text longer by this many characters. */
const maxInserted = 1_000_000

/** AsciiDoc: headings, text, tables and code; no attributes, options, macros and comments. */
export async function readAsciidoc(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const read = new Paragraphs(text)
  const attributes = new Map<string, string>()
  let inserted = 0
  const insert = (line: string) =>
    line.replace(/\{([\w-]+)\}/g, (reference, name) => {
      const value = attributes.get(name)
      inserted += value?.length ?? 0
      return value === undefined || inserted > maxInserted ? reference : value
    })
  const number = listNumbers()
  let options = ''
  for (let i = 0; i < read.lines.length; i++) {
    const line = (read.lines[i] ?? '').trimEnd()
    const attribute = /^:(!?[\w-]+!?):(?:\s+(.*))?$/.exec(line)
    const mark = delimiter.exec(line)?.[1]
    const heading = /^(={1,6}|#{1,6})\s+(\S.*)/.exec(line)
    if (attribute) attributes.set(attribute[1] ?? '', attribute[2] ?? '')
    else if (mark) {
      const closing = mark.startsWith('`') ? mark.replace(/[^`]+$/, '') : mark
      const end = read.find(closing, i + 1, (other) => other.trimEnd() === closing)
      if (end < 0) continue
      if (mark.endsWith('=')) addTable(read, i + 1, end, mark[0] ?? '', options, (cell) => inline(insert(cell)))
      else if (/^[-.`]/.test(mark)) read.addCode(i + 1, end)
      i = end
    } else if (heading) {
      const title = (heading[2] ?? '').replace(/\s(=+|#+)$/, '')
      read.addHeading((heading[1] ?? '').length - 1, inline(insert(title)))
    } else if (/^\[.*\]$/.test(line)) {
      read.end()
      options = line
      continue
    } else if (!isMark(line)) read.add(number(inline(insert(line)), line, options))
    options = ''
  }
  read.end()
  return { ...read.out.structure('text/asciidoc'), charset }
}

/** How the numbers of a list look, by the dots before its items. */
const numerals = ['1', '1', 'a', 'i', 'A', 'I']

/** Puts the number of an item in place of its dash. A paragraph after an empty line ends the lists above it. */
function listNumbers(): (text: string, line: string, options: string) => string {
  let counts: number[] = []
  let isAfterEmpty = false
  return (text, line, options) => {
    const dots = /^\s*(\.{1,5})\s/.exec(line)?.[1]?.length
    if (isAfterEmpty && dots === undefined && !/^(\s|[*-])/.test(line)) counts = []
    isAfterEmpty = line === ''
    if (dots === undefined) return text
    const start = Number(/\bstart=(\d{1,6})/.exec(options)?.[1] ?? 1)
    const count = (counts[dots] ?? start - 1) + 1
    counts = counts.slice(0, dots)
    counts[dots] = count
    return text.replace(/^- /, `${numeral(count, numerals[dots] ?? '')}. `)
  }
}

/** Lines that say how others look: borders of blocks, comments, conditions, breaks. */
const isMark = (line: string) =>
  /^(={4,}|\*{4,}|_{4,}|--|\+|'''|<<<)$/.test(line) ||
  /^\/\/(?!\/)/.test(line) ||
  /^(include|toc|endif)::/.test(line) ||
  /^if(n?def|eval)::\S*\[(?!\w)/.test(line)

/** Rows have the number of cells that the options say, else that of the first line. */
function addTable(
  read: Paragraphs,
  from: number,
  to: number,
  mark: string,
  options: string,
  plain: (text: string) => string,
): void {
  read.end()
  const cells: (Cell & { columns: number })[] = []
  let width = columnsOf(options)
  for (const line of read.lines.slice(from, to)) {
    if (/^\/\/(?!\/)/.test(line)) continue
    const parts = line.split(mark)
    if (mark === ',' || mark === ':') parts.unshift('')
    parts.forEach((part, n) => {
      // `2+|` and `a|` stand at the end of what is before them.
      const spec = n < parts.length - 1 ? /(?<!\S)(?:(\d+)?(?:\.\d+)?[+*])?[<^>.]{0,3}[adehlmsv]?$/.exec(part) : null
      const text = plain(spec ? part.slice(0, spec.index) : part)
      const last = cells.at(-1)
      if (last) last.text = n === 0 ? `${last.text} ${text}`.trim() : text
      if (n < parts.length - 1) cells.push({ text: '', columns: Math.min(Number(spec?.[1] ?? 1) || 1, 100) })
    })
    if (width === 0) width = cells.reduce((sum, { columns }) => sum + columns, 0)
  }
  const rows: Cell[][] = []
  let filled = width
  for (const cell of cells) {
    if (filled >= width) rows.push([])
    filled = (filled >= width ? 0 : filled) + cell.columns
    rows.at(-1)?.push(cell)
  }
  read.out.addTable(rows)
}

/** `cols="1,2*"` -> 3; 0 without it. */
const columnsOf = (options: string): number => {
  const [, quoted, bare] = /cols=(?:"([^"]*)"|([^\],]*))/.exec(options) ?? []
  const list = quoted ?? bare
  if (!list) return 0
  return list.split(/[,;]/).reduce((sum, each) => sum + Math.min(Number(/^\s*(\d+)\*/.exec(each)?.[1] ?? 1), 100), 0)
}

const inline = (text: string): string =>
  text
    .replace(/\[\[[^[\]]*\]\]|<\d+>|\(\(\([^()]*\)\)\)/g, '')
    .replace(/\+{2,3}([^+]+)\+{2,3}/g, '$1')
    .replace(/<<([^<>,]*)>>/g, '$1')
    .replace(/<<[^<>,]*,([^<>]*)>>/g, '$1')
    .replace(/\bfootnote:\w*\[([^[\]]*)\]/g, ' ($1)')
    .replace(
      /(?<![\w:])(?:link|xref|mailto|image|kbd|btn|menu|stem|pass|icon|video|audio)::?[^\s[\]]{0,2000}\[([^[\]]*)\]/g,
      label,
    )
    .replace(/(?<!\w)(?:https?|ftp):\/\/[^\s[\]]{0,2000}\[([^[\]]+)\]/g, label)
    .replace(/\[[.#%][^[\]]*\](?=[#*_`])/g, '')
    .replace(/([*_`#])\1(?=[^\s*_`#])([^*_`#]+)\1\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}*_`#+])([*_`#+])(?=\S)([^*_`#+]+)(?<=\S)\1(?![\p{L}\p{N}])/gu, '$2')
    .replace(/^\s*(?:[*]{1,6}|\.{1,6}|-)\s+(?:\[[ x*]\]\s)?/, '- ')
    .replace(/^\.(?=[^\s.])/, '')
    .replace(/^(\S[^:]*):{2,4}(?=\s|$)/, '$1:')
    .replace(/\s\+$/, '')
    .trim()

/** The first value in the brackets of a macro, not its options. */
function label(macro: string, options: string): string {
  const quoted = /^"([^"]*)"/.exec(options)?.[1]
  return (
    quoted ?? options.split(/^image|^icon|^video/.test(macro) ? ',' : /,\s*\w+=/)[0]?.replace(/^\w+=.*|\^$/, '') ?? ''
  )
}

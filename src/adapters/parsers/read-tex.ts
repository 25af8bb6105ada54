import type { OpenFile, Span, Structure } from '../../ports/format.ts'
import { numeral } from './list-numbers.ts'
import {
  closingBraces,
  dropped,
  endOfDefinition,
  letters,
  marks,
  maxOwn,
  type OwnCommand,
  ownCommands,
} from './tex-commands.ts'
import { type Cell, oneLine, TextBuilder } from './text-builder.ts'

const levels = new Map(
  ['title', 'part', 'chapter', 'section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'].map((name, i) => [
    name,
    i,
  ]),
)
const verbatim = /^(verbatim|Verbatim|lstlisting|minted|alltt|comment|filecontents|tikzpicture)\*?$/
const math = /^(equation|align|alignat|gather|multline|eqnarray|displaymath|math|flalign)\*?$/
const tables = /^(tabular[xy]?|longtable|tabu|supertabular|array)\*?$/
const lists = /^(enumerate|itemize|description)\*?$/
/** What LaTeX writes before the items of `enumerate`, by its depth. */
const labels = [
  ['', '1', '.'],
  ['(', 'a', ')'],
  ['', 'i', '.'],
  ['', 'A', '.'],
] as const
const token =
  /%[^\n]*\n?[ \t]*|\\([A-Za-z@]+)\*?[ \t]*|\\([\s\S])|\n[ \t]*\r?\n\s*|\$\$?|[{}&~]|---?|``|''|#\d|[^%\\\n$&{}~`'#-]+|[\s\S]/y

/** TeX and LaTeX: headings, text, tables and code. Commands, options and comments are left out; formulas stay as written. */
export async function readTex(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const out = new TextBuilder()
  const closing = closingBraces(text)
  const body = text.indexOf('\\begin{document}')
  /** A stretch that is being read, and what is done at its end. */
  let ends: { at: number; run: () => void }[] = []
  const own = ownCommands(text, closing)
  /** The arguments of the own command that is being read, how deep it stands in others, and the characters read so. */
  let given: Span[] = []
  let [depth, used] = [0, 0]
  const open: { rows: Cell[][]; before: string; columns: number }[] = []
  /** The numbers of the last items in the lists that are open; null in those without numbers. */
  const counts: (number | null)[] = []
  let buffer = ''
  const flush = () => {
    if (open.length > 0) return
    out.add(buffer.split('\v').map(oneLine).filter(Boolean).join('\n'))
    buffer = ''
  }
  const endCell = () => {
    const table = open.at(-1)
    table?.rows.at(-1)?.push({ text: oneLine(buffer), columns: table.columns })
    if (table) table.columns = 1
    buffer = ''
  }
  const unclosed = new Set<string>()
  const find = (end: string, from: number) => {
    const at = unclosed.has(end) ? -1 : text.indexOf(end, from)
    if (at < 0) unclosed.add(end)
    return at
  }
  const options = (at: number) => {
    const start = /[ \t]*/y
    start.lastIndex = at
    start.test(text)
    const end = text[start.lastIndex] === '[' ? text.slice(at, at + 1000).indexOf(']') : -1
    return end < 0 ? at : at + end + 1
  }
  const group = (at: number) => (text[at] === '{' ? (closing.get(at) ?? -1) : -1)
  /** After the options and `count` arguments. */
  const skip = (from: number, count: number) => {
    let at = options(from)
    for (let i = 0; i < count; i++) {
      const end = group(at)
      if (end < 0) return at
      at = options(end + 1)
    }
    return at
  }
  const begin = (name: string, at: number): number => {
    const end = verbatim.test(name) || math.test(name) ? find(`\\end{${name}}`, at) : -1
    if (end >= 0) {
      const content = text.slice(skip(at, name === 'minted' ? 1 : 0), end)
      flush()
      if (math.test(name)) buffer += content
      else if (!/^(comment|tikz|filec)/.test(name)) out.add(content.replace(/^[ \t]*\r?\n/, '').trimEnd(), 'code')
      flush()
      return end + name.length + 6
    }
    if (!tables.test(name)) {
      flush()
      if (lists.test(name)) counts.push(name.startsWith('enumerate') ? 0 : null)
      return skip(at, /^(minipage|thebibliography|multicols|wrapfigure)$/.test(name) ? 1 : 0)
    }
    flush()
    open.push({ rows: [[]], before: buffer, columns: 1 })
    buffer = ''
    return skip(at, /^tabular(x|y|\*)$/.test(name) ? 2 : 1)
  }
  const end = (name: string) => {
    if (!tables.test(name)) {
      if (lists.test(name)) counts.pop()
      return flush()
    }
    endCell()
    const table = open.pop()
    if (!table) return
    const rows = table.rows.filter((row) => row.some((cell) => cell.text !== ''))
    buffer = table.before
    if (open.length > 0) buffer += rows.map((row) => row.map((cell) => cell.text).join(' ')).join('; ')
    else out.addTable(rows)
  }
  /** What stands before an item: its own label, else its number or a dash. */
  const labelOf = (own: string): string => {
    const count = counts.at(-1) ?? null
    if (count === null) return `- ${own}`.trim()
    if (own !== '') return own
    counts[counts.length - 1] = count + 1
    const [before, format, after] = labels[counts.filter((each) => each !== null).length - 1] ?? labels[0]
    return before + numeral(count + 1, format) + after
  }
  const command = (name: string, at: number): number => {
    const level = levels.get(name)
    const start = options(at)
    const to = group(start)
    if (name === 'begin' || name === 'end') {
      if (to < 0) return at
      const environment = text.slice(start + 1, to).trim()
      if (name === 'begin') return begin(environment, to + 1)
      if (environment === 'document') return text.length
      end(environment)
      return to + 1
    }
    if (level !== undefined && to >= 0 && open.length === 0) {
      flush()
      ends.push({
        at: to,
        run: () => {
          out.addHeading(level, oneLine(buffer))
          buffer = ''
        },
      })
      return start + 1
    }
    if (/^(footnote|footnotetext)$/.test(name) && to >= 0) {
      buffer += ' ('
      ends.push({
        at: to,
        run: () => {
          buffer += ')'
        },
      })
      return start + 1
    }
    if (name === 'verb') {
      const close = text.slice(at + 1, at + 1000).indexOf(text[at] ?? '')
      buffer += text.slice(at + 1, at + 1 + Math.max(0, close))
      return at + 2 + close
    }
    const command = own.get(name)
    if (command) return expand(command, at)
    if (name === 'multicolumn' && to >= 0 && open.length > 0) {
      const table = open.at(-1)
      if (table) table.columns = Math.min(Math.max(1, Number(text.slice(start + 1, to)) || 1), 100)
    }
    if (name === 'item' || name === 'par' || name === 'newline' || name === 'tabularnewline') {
      if (name === 'par') flush()
      else if (name === 'tabularnewline') row()
      else buffer += name === 'item' ? `\v${labelOf(text.slice(at, start).trim().slice(1, -1))} ` : '\v'
      return name === 'item' ? start : at
    }
    const mark = marks.get(name)
    if (mark !== undefined) return accent(mark, at)
    const letter = letters.get(name)
    if (letter !== undefined) {
      buffer += letter
      return text.startsWith('{}', at) ? at + 2 : at
    }
    const next = skip(at, dropped.get(name) ?? 0)
    // Arguments that stand side by side are not one word.
    const between: typeof ends = []
    const add = () => {
      buffer += ' '
    }
    for (let end = group(next); end >= 0 && text[end + 1] === '{'; end = group(end + 1))
      between.push({ at: end, run: add })
    for (const gap of between.reverse()) ends.push(gap)
    return next
  }
  /** What an own command stands for. */
  const expand = ({ content, count, isOptional }: OwnCommand, at: number): number => {
    const found: Span[] = []
    let next = at
    if (isOptional) {
      next = options(at)
      found.push({ start: at + 1, end: Math.max(at + 1, next - 1) })
    }
    for (let end = group(next); found.length < count && end >= 0; end = group(next)) {
      found.push({ start: next + 1, end })
      next = end + 1
    }
    used += 1 + content.end - content.start
    if (used <= maxOwn.characters) within(content, found)
    return next
  }
  const within = ({ start, end }: Span, found: Span[]) => {
    if (depth >= maxOwn.depth) return
    const outer = { ends, given }
    ends = []
    given = found
    depth++
    read(start, end)
    depth--
    ends = outer.ends
    given = outer.given
  }
  const accent = (mark: string, at: number): number => {
    const found = /\{?\\?(\p{L})(?:\{\})?\}?/uy
    found.lastIndex = at
    const letter = found.exec(text)?.[1]
    if (letter === undefined) return at
    buffer += `${letter}${mark}`.normalize('NFC')
    return text[at] === '{' ? found.lastIndex : at + (text[at] === '\\' ? 2 : 1)
  }
  const row = () => {
    if (open.length === 0) buffer += '\v'
    else {
      endCell()
      open.at(-1)?.rows.push([])
    }
  }
  const symbol = (sign: string, at: number): number => {
    if (sign === '\\') {
      row()
      return options(at)
    }
    if (/["'`^~=.]/.test(sign)) return accent(marks.get(sign) ?? '', at)
    const end = sign === '[' ? find('\\]', at) : sign === '(' ? find('\\)', at) : -1
    if (end >= 0) {
      buffer += ` ${text.slice(at, end)} `
      return end + 2
    }
    if (/[%&_#{}$]/.test(sign)) buffer += sign
    else if (/[\s,;:]/.test(sign)) buffer += ' '
    return at
  }
  const read = (from: number, to: number) => {
    for (let at = from; at < to; ) {
      token.lastIndex = at
      const [found = text[at] ?? '', name, sign] = token.exec(text) ?? []
      const next = at + found.length
      while (ends.length > 0 && (ends.at(-1)?.at ?? 0) < at) ends.pop()
      if (ends.at(-1)?.at === at) ends.pop()?.run()
      const defined = name === undefined ? undefined : endOfDefinition(text, at, closing)
      if (defined !== undefined) at = defined
      else if (name !== undefined) at = command(name, next)
      else if (sign !== undefined) at = symbol(sign, next)
      else if (found.startsWith('$')) {
        const close = find(found, next)
        const isFormula = close >= 0 && close - next < 5_000
        if (isFormula) buffer += text.slice(next, close)
        at = isFormula ? close + found.length : next
      } else {
        if (/^\n\s*\n/.test(found)) flush()
        else if (found === '&') endCell()
        else if (/^#\d$/.test(found) && depth > 0) {
          const argument = given[Number(found[1]) - 1]
          if (argument) within(argument, [])
        } else if (!/^[%{}]/.test(found)) buffer += signs[found] ?? found
        at = next
      }
    }
  }
  if (body < 0) read(0, text.length)
  else {
    for (const found of text.slice(0, body).matchAll(/\\(?:title|author)(?=[{[])/g)) {
      const close = group(options(found.index + found[0].length))
      if (close > 0 && close < body) read(found.index, close + 1)
      flush()
    }
    read(body + '\\begin{document}'.length, text.length)
  }
  while (open.length > 0) end('tabular')
  flush()
  return { ...out.structure('text/x-tex'), charset }
}

const signs: Readonly<Record<string, string>> = { '~': ' ', '--': '–', '---': '—', '``': '“', "''": '”' }

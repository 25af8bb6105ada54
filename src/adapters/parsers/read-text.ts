import type { Block, OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { linesOf } from './lines.ts'
import { withoutEscapes } from './open-file.ts'
import { topLevelBlocks } from './read-code.ts'
import { maxHeader, Outline } from './text-builder.ts'

export async function readText(file: OpenFile): Promise<Structure> {
  const { text: source, charset } = await file.readText()
  const text = withoutEscapes(source)
  const whole: Block = { kind: 'prose', start: 0, end: text.length, headings: [] }
  return { mime: 'text/plain', text, textIsFile: text === source, charset, blocks: [whole], units: [], attachments: [] }
}

export async function readRst(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const blocks = rstBlocks(text)
  return { mime: 'text/x-rst', text, textIsFile: true, charset, blocks, units: [], attachments: [] }
}

const adornment = /^([!-/:-@[-`{-~])\1+\s*$/

/** Sections of reStructuredText. A title is underlined, maybe overlined; levels are the styles in order of their first use. */
function rstBlocks(text: string): Block[] {
  const lines = [...linesOf(text)]
  const at = (i: number) => (lines[i] ? text.slice(lines[i].start, lines[i].end) : '')
  const outline = new Outline()
  const styles: string[] = []
  const blocks: Block[] = []
  const add = (kind: Block['kind'], from: number, to: number, headerTo = from) => {
    const [first, last] = [lines[from], lines[to - 1]]
    if (!first || !last || from >= to) return
    const { start } = first
    const end = lines[headerTo]?.start ?? start
    const header = end > start && end - start <= maxHeader && { header: { start, end } }
    blocks.push({ kind, start, end: last.end, headings: outline.path, ...header })
  }
  const tableAt = rstTables(at, lines.length)
  let paragraph = 0
  for (let i = 0; i < lines.length; ) {
    const table = paragraph === i ? tableAt(i) : null
    const over = adornment.test(at(i)) && at(i).trim() === at(i + 2).trim() && at(i + 1).trim() !== ''
    const title = at(over ? i + 1 : i).trim()
    const under = at(over ? i + 2 : i + 1)
    const isTitle = title !== '' && adornment.test(under) && under.trim().length >= Math.min(title.length, 4)
    if (isTitle && !adornment.test(title) && (over || paragraph === i)) {
      add('prose', paragraph, i)
      const style = `${over}${under[0]}`
      if (!styles.includes(style)) styles.push(style)
      outline.enter(styles.indexOf(style) + 1, title)
      const to = i + (over ? 3 : 2)
      add('heading', i, to)
      paragraph = i = to
    } else if (table) {
      add('table', i, table.to, table.body)
      paragraph = i = table.to
    } else if (at(i).trim() === '') {
      add('prose', paragraph, i)
      paragraph = ++i
    } else i++
  }
  add('prose', paragraph, lines.length)
  return blocks
}

/** Finds the table that begins at a line, a simple or a grid one: the line after it, and the first one after its header. */
function rstTables(at: (line: number) => string, count: number) {
  let isClosed = true
  return (from: number): { to: number; body: number } | null => {
    const first = at(from).trim()
    if (/^\+[-=+]+\+$/.test(first)) {
      let [to, body] = [from + 1, from]
      for (; /^[+|]/.test(at(to).trim()); to++) if (/^\+[=+]+\+$/.test(at(to).trim())) body = to + 1
      return { to, body }
    }
    if (!isBorder(first) || !isClosed) return null
    let body = from
    for (let to = from + 1; to < count; to++) {
      if (!isBorder(at(to).trim())) continue
      // The last border is that before an empty line.
      if (at(to + 1).trim() === '') return { to: to + 1, body }
      if (body === from) body = to + 1
    }
    isClosed = false
    return null
  }
}

const isBorder = (line: string) => /^=+(?: +=+)+$/.test(line)

/** The tree of a larger file takes too much memory. UTF-16 units. */
const maxChecked = 2 ** 18

/** YAML in chunks of its outermost entries. Its tags and aliases are not resolved. */
export async function readYaml(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  if (text.length <= maxChecked && !(await isYaml(text)))
    throw new ParseError('malformed', 'The file is not valid YAML.')
  const blocks = topLevelBlocks(text).map((block) => ({ ...block, kind: 'data' as const, headings: [] }))
  return { mime: 'application/yaml', text, textIsFile: true, charset, blocks, units: [], attachments: [] }
}

/** Keys are not compared with each other: that takes time by the square of their number. */
async function isYaml(text: string): Promise<boolean> {
  const { Composer, Parser } = await import('yaml')
  const composer = new Composer({ logLevel: 'silent', uniqueKeys: false })
  const documents = [...composer.compose(new Parser().parse(text))]
  return documents.every(({ errors }) => errors.length === 0)
}

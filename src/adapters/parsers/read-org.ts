import type { OpenFile, Structure } from '../../ports/format.ts'
import { Paragraphs } from './paragraphs.ts'

const drawer = /^\s*:(properties|logbook):\s*$/i
const planning = /^\s*(SCHEDULED|DEADLINE|CLOSED|CLOCK):/
const isTable = (line: string) => /^\s*\|/.test(line)
const isFixed = (line: string) => /^\s*:( |$)/.test(line)

/** Org: headings, text, tables and code; no keywords, drawers, dates of planning and comments. */
export async function readOrg(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const read = new Paragraphs(text)
  /** The level of the heading whose section is a comment. */
  let hidden = Number.POSITIVE_INFINITY
  for (let i = 0; i < read.lines.length; ) {
    const line = read.lines[i] ?? ''
    const stars = /^(\*+)\s/.exec(line)?.[1]?.length
    if (stars !== undefined) {
      if (stars <= hidden) hidden = /^\*+\s+COMMENT\b/.test(line) ? stars : Number.POSITIVE_INFINITY
      if (stars < hidden) read.addHeading(stars, titleOf(line.slice(stars)))
      i++
    } else if (hidden < Number.POSITIVE_INFINITY) i++
    else i = readBlock(read, i, line)
  }
  read.end()
  return { ...read.out.structure('text/x-org'), charset }
}

/** Reads what begins at a line. Returns the line after it. */
function readBlock(read: Paragraphs, i: number, line: string): number {
  const begin = /^\s*#\+begin_(\S+)/i.exec(line)?.[1]?.toLowerCase()
  if (begin && /^(src|example|comment|export)$/.test(begin)) {
    const end = read.find(begin, i + 1, (other) => other.trim().toLowerCase() === `#+end_${begin}`)
    if (end > 0 && (begin === 'src' || begin === 'example')) read.addCode(i + 1, end)
    return Math.max(end, i) + 1
  }
  const [, keyword = '', value = ''] = /^\s*#\+(\w+)(?:\[[^\]]*\])?:(.*)/.exec(line) ?? []
  if (/^title$/i.test(keyword)) read.addHeading(0, inline(value))
  else if (/^(caption|subtitle|author)$/i.test(keyword)) read.add(inline(value))
  if (/^\s*#(\+\w|\s|$)/.test(line)) return i + 1
  if (drawer.test(line))
    return (
      Math.max(
        i,
        read.find('drawer', i + 1, (other) => /^\s*:end:\s*$/i.test(other)),
      ) + 1
    )
  if (isFixed(line)) {
    const to = read.after(i, isFixed)
    read.end()
    const code = read.lines.slice(i, to).map((each) => each.replace(/^\s*: ?/, ''))
    read.out.add(code.join('\n').trimEnd(), 'code')
    return to
  }
  if (isTable(line)) {
    const to = read.after(i, isTable)
    read.end()
    const rows = read.lines.slice(i, to).map((row) => row.trim())
    const cells = rows.filter((row) => !/^\|-/.test(row)).map((row) => row.replace(/^\||\|$/g, '').split('|'))
    read.out.addTable(cells.map((row) => row.map((text) => ({ text: inline(text) }))))
    return to
  }
  const isMark = planning.test(line) || /^\s*:\w+:\s*$/.test(line) || /^\s*-{5,}\s*$/.test(line)
  if (!isMark) read.add(inline(line))
  return i + 1
}

/** `TODO [#A] Title :tag:` -> `Title`. */
const titleOf = (text: string) =>
  inline(
    text
      .trim()
      .replace(/^(TODO|DONE|NEXT|WAITING|CANCELLED)(\s|$)/, '')
      .trim()
      .replace(/^\[#\w\]/, '')
      .replace(/(?<!\S):[\p{L}\p{N}_@#%:]+:$/u, ''),
  )

const inline = (text: string): string =>
  text
    .replace(/\{\{\{[^{}]*\}\}\}|(?<!<)<<(?!<)[^<>]*>>(?!>)/g, '')
    .replace(/\[\[[^[\]]*\]\[([^[\]]*)\]\]/g, '$1')
    .replace(/\[\[([^[\]]*)\]\]|<<<([^<>]*)>>>/g, '$1$2')
    .replace(/\[fn:[^\]:[]*:([^\][]*)\]/g, ' ($1)')
    .replace(/\[fn:([^\]:[]*)\]/g, '[$1]')
    .replace(/(?<![\p{L}\p{N}*/_+=~])([*/_+=~])(?=\S)([^*/_+=~]+)(?<=\S)\1(?![\p{L}\p{N}])/gu, '$2')
    .replace(/^(\s*(?:[-+]|\d+[.)])\s+)\[[ X-]\]\s/, '$1')
    .replace(/\\\\\s*$/, '')
    .trim()

import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { isLarge } from './picture-size.ts'
import { markdownBlocks } from './read-markdown.ts'
import { TextBuilder } from './text-builder.ts'

/** What the format writes as a text or as its lines. */
type Lines = string | string[]

interface Output {
  text?: Lines
  data?: Record<string, Lines>
}

interface Cell {
  cell_type?: string
  source?: Lines
  input?: Lines
  outputs?: Output[]
  attachments?: Record<string, Record<string, Lines>>
}

/** The cells of a Jupyter notebook (nbformat 3 and 4): texts, code, and what the code printed. */
export async function readNotebook(file: OpenFile): Promise<Structure> {
  const { text: source, charset } = await file.readText()
  const out = new TextBuilder()
  const attachments: Attachment[] = []
  for (const cell of cellsOf(source)) {
    const text = joined(cell.source ?? cell.input)
    if (cell.cell_type === 'code') out.add(text.trimEnd(), 'code')
    else addMarkdown(text, out)
    const outputs = cell.outputs ?? []
    for (const { text: printed, data } of outputs) out.add(joined(printed ?? data?.['text/plain']).trim(), 'code')
    const pictures = [...outputs.map(({ data }) => data ?? {}), ...Object.values(cell.attachments ?? {})]
    for (const data of pictures) attachments.push(...picturesIn(data, attachments.length))
  }
  return { ...out.structure('application/x-ipynb+json', attachments), charset }
}

function cellsOf(source: string): Cell[] {
  try {
    const { cells, worksheets } = JSON.parse(source) as { cells?: Cell[]; worksheets?: { cells?: Cell[] }[] }
    const found = cells ?? worksheets?.flatMap((sheet) => sheet.cells ?? [])
    if (Array.isArray(found)) return found.filter((cell) => typeof cell === 'object' && cell !== null)
  } catch {
    // Reported below.
  }
  throw new ParseError('malformed', 'The file is not a notebook.')
}

function addMarkdown(text: string, out: TextBuilder): void {
  for (const { kind, start, end, headings, header } of markdownBlocks(text)) {
    const part = text.slice(start, end)
    const level = /^ {0,3}(#+)/.exec(part)?.[1]?.length ?? (/=\s*$/.test(part) ? 1 : 2)
    if (kind === 'heading') out.addHeading(level, headings.at(-1) ?? '')
    else out.add(part, kind, '\n\n', header && header.end - header.start)
  }
}

function picturesIn(data: Record<string, Lines>, before: number): Attachment[] {
  const found = Object.entries(data).filter(([type]) => /^image\/(png|jpeg|gif|webp)$/.test(type))
  return found
    .map(([type, content]) => ({ type, bytes: Buffer.from(joined(content), 'base64') }))
    .filter(({ bytes }) => isLarge(bytes))
    .map(({ type, bytes }, i) => ({ name: `picture-${before + i + 1}.${type.slice(6)}`, bytes }))
}

const joined = (lines: Lines | undefined) => (Array.isArray(lines) ? lines.join('') : String(lines ?? ''))

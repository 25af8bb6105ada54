import { parseLimits } from '../../model/parse-limits.ts'
import { transcriptOf, utterancesOf } from '../../model/speech.ts'
import { modalities } from '../../model/unit.ts'
import type { Block, OpenFile, Span, Structure } from '../../ports/format.ts'
import { type GivenUnit, type ParsedUnit, ParseError } from '../../ports/parser.ts'
import { lastUpTo, linesOf } from './lines.ts'
import { TextBuilder } from './text-builder.ts'

/** JSON in chunks of its members; the `verbose_json` of a transcription as utterances; lines of JSON as their own format. */
export async function readJson(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const value = parsed(text)
  if (value === undefined) {
    if (isJsonl(text)) return readJsonl(file)
    // Programs allow comments in JSON that people write.
    if (text.length <= maxCommented && parsed(withoutComments(text)) !== undefined) {
      const blocks: Block[] = [{ kind: 'data', start: 0, end: text.length, headings: [] }]
      return { mime: 'application/json', text, textIsFile: true, charset, blocks, units: [], attachments: [] }
    }
    throw new ParseError('malformed', 'The file is not valid JSON.')
  }
  const cues = transcriptOf(value)
  const units = cues ? utterancesOf(cues) : []
  const chunked = cues ? { text, blocks: [] } : members(text)
  const textIsFile = chunked.text === text
  return { mime: 'application/json', ...chunked, textIsFile, charset, units, attachments: [] }
}

/** Undefined for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Settings are shorter. UTF-16 units. */
const maxCommented = 2 ** 20

/** Without comments, and without commas before a closing bracket. */
function withoutComments(text: string): string {
  const parts: string[] = []
  let from = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') i = endOfString(text, i)
    const comment = text.startsWith('//', i) ? '\n' : text.startsWith('/*', i) ? '*/' : null
    if (comment === null) continue
    const end = text.indexOf(comment, i + 2)
    parts.push(text.slice(from, i))
    i = from = end === -1 ? text.length : end + comment.length
    i--
  }
  parts.push(text.slice(from))
  return parts.join('').replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, '$1')
}

/**
 * The members of the outermost object or array, a block each, with the comma after it. Strings are as they are meant:
 * `\u00df` is ß there. `text` is valid JSON.
 */
function members(text: string): { text: string; blocks: Block[] } {
  const ends: number[] = []
  const parts: string[] = []
  /** How much shorter the parts are than what they stand for. */
  let saved = 0
  let depth = 0
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '"') {
      const end = endOfString(text, i)
      const literal = text.slice(i, end + 1)
      if (literal.includes('\\')) {
        const meant = `"${JSON.parse(literal)}"`
        parts.push(text.slice(from, i), meant)
        saved += literal.length - meant.length
        from = end + 1
      }
      i = end
    } else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (character === ',' && depth === 1) ends.push(i + 1 - saved)
  }
  const read = parts.length === 0 ? text : parts.join('') + text.slice(from)
  const blocks = [...ends, read.length].map(
    (end, i): Block => ({ kind: 'data', start: ends[i - 1] ?? 0, end, headings: [] }),
  )
  return { text: read, blocks }
}

function endOfString(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i
  }
  return text.length
}

interface NumberedLine {
  number: number
  line: string
}

/** Lines of JSON: Units as `POST /v1/ingest` takes them where the first line is one, else records. */
export async function readJsonl(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const whole = { mime: 'application/jsonl', text, textIsFile: true, charset, attachments: [] }
  const [first] = numberedLines(text)
  if (!first) return { ...whole, blocks: [], units: [] }
  const object = objectOf(first.line)
  if (!object) throw new ParseError('malformed', `Line ${first.number} is not a JSON object.`)
  return isUnit(object)
    ? { ...whole, blocks: [], units: unitsOf(text) }
    : { ...whole, ...chunkedRecords(text), units: [] }
}

/** Whether a text begins with two lines that are JSON objects. */
export function isJsonl(text: string): boolean {
  const lines = numberedLines(text)
  return [lines.next(), lines.next()].every(({ value, done }) => !done && objectOf(value.line) !== null)
}

/** Lines that are not empty, counted from 1. */
function* numberedLines(text: string): Generator<NumberedLine, undefined> {
  let number = 0
  for (const { start, end } of linesOf(text)) {
    number++
    const line = text.slice(start, end)
    if (line.trim() !== '') yield { number, line }
  }
}

const isUnit = (object: JsonObject) => ['text', 'unit_id', 'external_id'].some((field) => Object.hasOwn(object, field))

/** A bad line fails the file. */
function unitsOf(text: string): ParsedUnit[] {
  const units: ParsedUnit[] = []
  for (const { number, line } of numberedLines(text)) {
    units.push(unitOf(line, number))
    if (units.length > parseLimits.units) throw new ParseError('too_many_units', 'The file has more than 10,000 Units.')
  }
  return units
}

function unitOf(line: string, number: number): ParsedUnit {
  const given: GivenUnit | null = objectOf(line)
  if (!given) throw new ParseError('malformed', `Line ${number} is not a JSON object.`)
  const modality = modalities.find((known) => known === (given.modality ?? 'text'))
  if (!modality) throw new ParseError('malformed', `Line ${number} is not a Unit: its modality is unknown.`)
  return {
    modality,
    text: typeof given.text === 'string' ? given.text : null,
    ...{ title: null, locator: null, metadata: {}, given },
  }
}

/** A block for each record. A line that is not an object, such as the torn last one of a log, stays as it is. */
function chunkedRecords(text: string): Pick<Structure, 'chunked' | 'blocks' | 'locate'> {
  const out = new TextBuilder()
  const numbers: number[] = []
  for (const { number, line } of numberedLines(text)) {
    const object = objectOf(line)
    const record = object ? recordText(object) : line.trim()
    if (record === '') continue
    out.add(record)
    numbers.push(number)
  }
  const { blocks } = out
  const lineAt = (offset: number) => numbers[lastUpTo(blocks, offset, (block) => block.start)] ?? 1
  const locate = ({ start, end }: Span) => ({
    locator: { kind: 'line_range', start: lineAt(start), end: lineAt(end - 1) } as const,
  })
  return { chunked: out.text, blocks, locate }
}

function objectOf(line: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}

export type JsonObject = Readonly<Record<string, unknown>>

/**
 * A record as lines `key: value`. A key inside of another is `outer.inner`; a list of plain values is one line. Null and
 * empty values say nothing, and are left out.
 */
export function recordText(record: JsonObject): string {
  const lines: string[] = []
  let length = 0
  // A list in place of recursion: a record may be nested as deep as its line is long.
  const open: { key: string; value: unknown }[] = [{ key: '', value: record }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { key, value } = next
    if (Array.isArray(value) && !value.every(isPlain))
      open.push(...value.map((item) => ({ key, value: item })).reverse())
    else if (isPlain(value) || Array.isArray(value)) {
      const shown = [value].flat().map(plainText).filter(Boolean).join(', ')
      if (shown === '') continue
      lines.push(`${key}: ${shown}`)
      length += key.length + shown.length
    } else {
      const members = Object.entries(value as JsonObject).reverse()
      for (const [name, member] of members) open.push({ key: key === '' ? name : `${key}.${name}`, value: member })
    }
    // Long keys of many members would fill the memory.
    if (length > parseLimits.textBytes) throw new ParseError('too_large', 'The file has more than 64 MiB of text.')
  }
  return lines.join('\n')
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

const plainText = (value: unknown): string => (value === null ? '' : String(value).trim())

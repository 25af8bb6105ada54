import { transcriptOf, utterancesOf } from '../../model/speech.ts'
import type { Block, OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { isJsonl, readJsonl } from './read-jsonl.ts'

/** JSON in chunks of its members; the `verbose_json` of a transcription as utterances; lines of JSON as their own format. */
export async function readJson(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const value = parsed(text)
  if (value === undefined) {
    if (isJsonl(text)) return readJsonl(file)
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

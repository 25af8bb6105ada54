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
  const blocks = cues ? [] : memberBlocks(text)
  const units = cues ? utterancesOf(cues) : []
  return { mime: 'application/json', text, textIsFile: true, charset, blocks, units, attachments: [] }
}

/** Undefined for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The members of the outermost object or array, a block each, with the comma after it. The text is valid JSON. */
export function memberBlocks(text: string): Block[] {
  const ends: number[] = []
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '"') i = endOfString(text, i)
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (character === ',' && depth === 1) ends.push(i + 1)
  }
  return [...ends, text.length].map((end, i) => ({ kind: 'data', start: ends[i - 1] ?? 0, end, headings: [] }))
}

function endOfString(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i
  }
  return text.length
}

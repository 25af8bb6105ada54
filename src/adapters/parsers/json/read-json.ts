import { transcriptOf, utterancesOf } from '../../../model/speech.ts'
import type { OpenFile, Structure } from '../../../ports/format.ts'
import { ParseError } from '../../../ports/parser.ts'
import { isJsonl, readJsonl } from '../jsonl/read-jsonl.ts'
import { memberBlocks } from './member-blocks.ts'

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

import { transcriptOf } from '../../../model/speech/transcript.ts'
import { utterancesOf } from '../../../model/speech/utterances.ts'
import type { OpenFile, Structure } from '../../../ports/format.ts'
import { ParseError } from '../../../ports/parser.ts'
import { memberBlocks } from './member-blocks.ts'

/** JSON in chunks of its members; the `verbose_json` of a transcription as utterances. */
export async function readJson(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const cues = transcriptOf(parsed(text))
  const blocks = cues ? [] : memberBlocks(text)
  const units = cues ? utterancesOf(cues) : []
  return { mime: 'application/json', text, textIsFile: true, charset, blocks, units, attachments: [] }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ParseError('malformed', 'The file is not valid JSON.')
  }
}

import { utterancesOf } from '../../../model/speech.ts'
import type { OpenFile, Structure } from '../../../ports/format.ts'
import { ParseError } from '../../../ports/parser.ts'
import { cuesOf } from './cues.ts'

export const readSrt = (file: OpenFile): Promise<Structure> => readCues(file, 'application/x-subrip')

/** WebVTT begins with its name. */
export async function readVtt(file: OpenFile): Promise<Structure> {
  const { text } = await file.readText()
  if (!/^WEBVTT(?!\S)/.test(text)) throw new ParseError('malformed', 'The file does not begin with WEBVTT.')
  return readCues(file, 'text/vtt')
}

async function readCues(file: OpenFile, mime: string): Promise<Structure> {
  const { text, charset } = await file.readText()
  const units = utterancesOf(cuesOf(text))
  if (units.length === 0) {
    if (/^WEBVTT\s*$/.test(text)) throw new ParseError('empty', 'The file has no cues.')
    throw new ParseError('malformed', 'The file has no cue with times and a text.')
  }
  return { mime, text, textIsFile: true, charset, blocks: [], units, attachments: [] }
}

import type { Cue } from '../../model/speech.ts'
import { utterancesOf } from '../../model/speech.ts'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'

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

const timing =
  /^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})\s*-->\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})/

/** The cues of SubRip and WebVTT: a line of times, then text up to an empty line. */
export function cuesOf(text: string): Cue[] {
  const lines = text.split(/\r\n|\n|\r/)
  const cues: Cue[] = []
  for (let i = 0; i < lines.length; i++) {
    const times = timing.exec((lines[i] ?? '').slice(0, 200))
    if (!times) continue
    const payload: string[] = []
    while (
      i + 1 < lines.length &&
      (lines[i + 1] ?? '').trim() !== '' &&
      !timing.test((lines[i + 1] ?? '').slice(0, 200))
    ) {
      payload.push(lines[++i] ?? '')
    }
    const [startMs, endMs] = [milliseconds(times.slice(1, 5)), milliseconds(times.slice(5, 9))]
    if (endMs >= startMs) cues.push(...voicesOf(payload.join('\n')).map((voice) => ({ startMs, endMs, ...voice })))
  }
  return cues
}

const milliseconds = ([hours = '0', minutes, seconds, fraction = '0']: (string | undefined)[]) =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(fraction.padEnd(3, '0'))

/** `<v Ann>Hello` is spoken by Ann. A cue may have several voices. */
function voicesOf(payload: string): { text: string; speaker: string | null }[] {
  const parts = payload.split(/<v(?:\.[^\s>]*)?[ \t]+([^<>]*)>/)
  const voices = parts.flatMap((part, i) =>
    i % 2 === 1 ? [] : [{ text: plain(part), speaker: i > 0 ? (parts[i - 1] ?? '') : '' }],
  )
  return voices
    .filter(({ text }) => text !== '')
    .map(({ text, speaker }) => ({ text, speaker: plain(speaker) || null }))
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', quot: '"', lrm: '', rlm: '' }

const plain = (markup: string) =>
  markup
    .replace(/<[^<>]*>|\{\\[^{}]*\}/g, '')
    .replace(/&(amp|lt|gt|nbsp|quot|lrm|rlm);/g, (_, name: string) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()

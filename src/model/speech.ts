import type { Locator, Metadata } from './unit.ts'

/** A stretch of speech in milliseconds. */
export interface Cue {
  startMs: number
  endMs: number
  text: string
  speaker: string | null
}

/** The segments of a transcription as `verbose_json`: times in seconds. Null for other JSON. */
export function transcriptOf(value: unknown): Cue[] | null {
  if (typeof value !== 'object' || value === null || !('segments' in value)) return null
  const { segments } = value
  if (!Array.isArray(segments) || segments.length === 0 || !segments.every(isSegment)) return null
  const cues = segments.map(
    ({ start, end, text, speaker }): Cue => ({
      startMs: Math.round(start * 1000),
      endMs: Math.round(end * 1000),
      text: text.replace(/\s+/g, ' ').trim(),
      speaker: typeof speaker === 'string' && speaker !== '' ? speaker : null,
    }),
  )
  return cues.filter(({ text }) => text !== '')
}

interface Segment {
  start: number
  end: number
  text: string
  speaker?: unknown
}

const isSegment = (value: Partial<Segment> | null): value is Segment =>
  typeof value?.text === 'string' && isTime(value.start) && isTime(value.end) && value.start <= value.end

const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0 && Number.isFinite(value)

/** A Unit of speech. */
export interface Utterance {
  modality: 'audio_utterance'
  text: string
  title: null
  locator: Locator
  metadata: Metadata
}

/** A pause that ends a sentence, and the length that does: speech without punctuation would be one utterance. */
const maxPauseMs = 3_000
const maxCharacters = 400

const sentenceEnd = /[.!?…。！？]["'”’»)\]]*$/

/** Cues merged to sentences: of one speaker, up to the end of a sentence. */
export function utterancesOf(cues: readonly Cue[]): Utterance[] {
  const merged: Cue[] = []
  for (const cue of cues) {
    const last = merged.at(-1)
    if (last && continues(last, cue)) {
      last.text += ` ${cue.text}`
      last.endMs = Math.max(last.endMs, cue.endMs)
    } else merged.push({ ...cue })
  }
  return merged.map(
    ({ startMs, endMs, text, speaker }): Utterance => ({
      modality: 'audio_utterance',
      // JSON can hold what no Unit may: a NUL, half of a surrogate pair.
      text: text.replaceAll('\0', '').toWellFormed(),
      title: null,
      locator: { kind: 'time_range', tStartMs: startMs, tEndMs: endMs },
      metadata: { ...(speaker !== null && { speaker }) },
    }),
  )
}

const continues = (last: Cue, next: Cue) =>
  last.speaker === next.speaker &&
  !sentenceEnd.test(last.text.slice(-10)) &&
  next.startMs >= last.startMs &&
  next.startMs - last.endMs <= maxPauseMs &&
  last.text.length + next.text.length < maxCharacters

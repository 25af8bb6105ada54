import type { Cue } from './cue.ts'

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

import type { Locator, Metadata } from '../unit.ts'
import type { Cue } from './cue.ts'

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

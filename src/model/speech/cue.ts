/** A stretch of speech in milliseconds. */
export interface Cue {
  startMs: number
  endMs: number
  text: string
  speaker: string | null
}

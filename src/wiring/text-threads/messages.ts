import type { Passage } from '../../ports/indexes/passages.ts'
import type { Sought } from '../../ports/indexes/text-index.ts'

/** Slow work on long texts. */
export interface TextCalls {
  embed: { ask: { text: string }; answer: Float32Array | null }
  passage: { ask: { query: Sought; text: string; maxBytes: number; language: string | null }; answer: Passage }
}

import type { Passage } from '../../ports/indexes/passages.ts'

/** Slow work on long texts. */
export interface Calls {
  embed: { ask: { text: string }; answer: Float32Array | null }
  passage: { ask: { query: string; text: string; maxBytes: number; language: string | null }; answer: Passage }
}

export type CallName = keyof Calls
/** A thread handles one request at a time. */
export type Request = { [N in CallName]: { name: N; ask: Calls[N]['ask'] } }[CallName]
export type Reply = { answer: unknown } | { error: unknown }

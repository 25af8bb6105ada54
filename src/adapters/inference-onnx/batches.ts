import { batchesOf as batchesWithin } from '../resilience/batches.ts'
import type { Input } from './messages.ts'

/** An input, and where it stood among all. */
interface Sized {
  place: number
  input: Input
  bytes: number
}

/** About 1,000 tokens: enough for the runtime to be busy with, little enough that an urgent batch waits for one that is not. */
const maxSize = 4096
const maxItems = 32

/**
 * Inputs in batches of about the same work. All inputs of a batch are padded to its longest one, so like lengths go together.
 * A token is about four bytes of UTF-8, in most languages.
 */
export function batchesOf(inputs: readonly Input[], maxTokens: number): Sized[][] {
  const sized = inputs.map((input, place) => ({ place, input, bytes: Math.min(maxTokens * 4, bytesOf(input)) }))
  sized.sort((a, b) => a.bytes - b.bytes)
  return batchesWithin(sized, { maxItems, maxSize, sizeWith: ({ bytes }, _, count) => (count + 1) * bytes })
}

const bytesOf = (input: Input) => input.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

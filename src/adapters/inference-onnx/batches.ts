import { batchesOf as batchesWithin } from '../../async/batches.ts'
import type { Input } from './messages.ts'

/** An input, and its position among all inputs. */
interface Sized {
  place: number
  input: Input
  bytes: number
}

/** About 1,000 tokens: enough to use the runtime well, and few enough that an urgent batch waits only briefly. */
const maxSize = 4096
const maxItems = 32

/**
 * Inputs in batches of similar work. All inputs of a batch are padded to its longest one, so similar lengths go
 * together. A token is about four bytes of UTF-8, in most languages.
 */
export function batchesOf(inputs: readonly Input[], maxTokens: number): Sized[][] {
  const sized = inputs.map((input, place) => ({ place, input, bytes: Math.min(maxTokens * 4, bytesOf(input)) }))
  sized.sort((a, b) => a.bytes - b.bytes)
  return batchesWithin(sized, { maxItems, maxSize, sizeWith: ({ bytes }, _, count) => (count + 1) * bytes })
}

const bytesOf = (input: Input) => input.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

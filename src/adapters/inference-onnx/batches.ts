import type { Input } from './messages.ts'

/** Inputs that are run at once, and where each stood among all. */
type Batch = { place: number; input: Input; bytes: number }[]

/** About 1,000 tokens: enough for the runtime to be busy with, little enough that an urgent batch waits for one that is not. */
const mostBytes = 4096
const mostInputs = 32

/**
 * Inputs in batches of about the same work. All inputs of a batch are padded to its longest one, so like lengths go together.
 * A token is about four bytes of UTF-8, in most languages.
 */
export function batchesOf(inputs: readonly Input[], maxTokens: number): Batch[] {
  const sized = inputs.map((input, place) => ({ place, input, bytes: Math.min(maxTokens * 4, bytesOf(input)) }))
  const batches: Batch[] = []
  for (const entry of sized.sort((a, b) => a.bytes - b.bytes)) {
    const last = batches.at(-1)
    // Sorted: this one is the longest so far.
    const fits = last && last.length < mostInputs && (last.length + 1) * entry.bytes <= mostBytes
    if (fits) last.push(entry)
    else batches.push([entry])
  }
  return batches
}

const bytesOf = (input: Input) => input.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

import { createHash } from 'node:crypto'
import { InvalidInputError } from '../../errors.ts'
import type { Inspection } from './content-type.ts'

export interface CheckedBytes {
  chunks: AsyncIterable<Uint8Array>
  /** Hex; known after the last chunk. */
  sha256(): string
  /** The error of the sender, if there was one. */
  problem(): unknown
}

/**
 * Passes bytes on, and throws a 400 naming `bytes` or `sha256` when they are not as they were said to be. The last chunk
 * is held back until then, so that nobody takes wrong bytes for whole ones.
 */
export function checkBytes(
  sent: AsyncIterable<Uint8Array>,
  said: { bytes: number; sha256: string | null },
  inspection: Inspection,
): CheckedBytes {
  const hash = createHash('sha256')
  let digest = ''
  let problem: unknown = null

  async function* checked(): AsyncGenerator<Uint8Array> {
    let passed = 0
    let last: Uint8Array | null = null
    for await (const chunk of sent) {
      passed += chunk.byteLength
      if (passed > said.bytes) throw wrongSize(said.bytes)
      if (last) yield last
      hash.update(chunk)
      inspection.take(chunk)
      last = chunk
    }
    if (passed < said.bytes) throw wrongSize(said.bytes)
    digest = hash.digest('hex')
    if (said.sha256 !== null && digest !== said.sha256) {
      throw new InvalidInputError(['sha256'], 'must be the SHA-256 of the bytes that are sent')
    }
    if (last) yield last
  }

  async function* noting(): AsyncGenerator<Uint8Array> {
    try {
      yield* checked()
    } catch (error) {
      problem = error
      throw error
    }
  }

  return { chunks: noting(), sha256: () => digest, problem: () => problem }
}

export const wrongSize = (bytes: number) =>
  new InvalidInputError(['bytes'], `the upload must have exactly ${bytes} bytes, as its link was made for`)

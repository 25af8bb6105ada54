import { getHeapStatistics } from 'node:v8'
import type { Handler } from './message.ts'

/** Smaller bodies never wait: what they take in memory is little, and most requests have no other. */
const smallBytes = 256 * 1024

/** A parsed body with what is made of it takes several times its bytes. */
const shareOfHeap = 1 / 16

/** Bytes of large bodies that may be in work at a time, for the heap that this process may have. */
const bodyBudget = (): number => getHeapStatistics().heap_size_limit * shareOfHeap

/**
 * Lets large bodies wait, in order, while those in work have `budget` bytes together: many at once would need more heap
 * than there is, which ends the process. A body waits after it was read, so that a slow sender delays nobody. One that
 * is larger than the budget is in work alone.
 */
export function withBodyTurns(handler: Handler, budget: number = bodyBudget()): Handler {
  const waiting: { bytes: number; begin(): void }[] = []
  let inWork = 0

  const beginNext = (): void => {
    for (let next = waiting[0]; next && (inWork === 0 || inWork + next.bytes <= budget); next = waiting[0]) {
      waiting.shift()
      inWork += next.bytes
      next.begin()
    }
  }
  const take = (bytes: number) =>
    new Promise<void>((begin) => {
      waiting.push({ bytes, begin })
      beginNext()
    })

  return async (request) => {
    let taken = 0
    const body = async (limit?: number) => {
      const bytes = await request.body(limit)
      if (bytes.byteLength > smallBytes) {
        await take(bytes.byteLength)
        taken = bytes.byteLength
      }
      return bytes
    }
    try {
      return await handler({ ...request, body })
    } finally {
      inWork -= taken
      beginNext()
    }
  }
}

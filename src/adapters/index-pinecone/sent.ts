import { createHash } from 'node:crypto'
import type { Batch, Written } from './write.ts'

/** The namespaces of which it is remembered, and for how long: what was lost meanwhile must be sent again some day. */
const maxNamespaces = 1000
const validMs = 600_000

/**
 * What was acknowledged but not seen in time, by namespace. When the same is to be written again it is only waited for:
 * sent once more it would be numbered anew, and an index that lags longer than a try lasts would never be seen to follow.
 */
export interface Sent {
  find(namespaceId: string, key: string): readonly Written[] | null
  keep(namespaceId: string, key: string, written: readonly Written[]): void
  forget(namespaceId: string): void
}

export function createSent(now: () => number): Sent {
  const kept = new Map<string, { at: number; key: string; written: readonly Written[] }>()
  return {
    find: (namespaceId, key) => {
      const last = kept.get(namespaceId)
      return last?.key === key && now() < last.at + validMs ? last.written : null
    },
    keep: (namespaceId, key, written) => {
      kept.delete(namespaceId)
      kept.set(namespaceId, { at: now(), key, written })
      const [oldest] = kept.keys()
      if (kept.size > maxNamespaces && oldest !== undefined) kept.delete(oldest)
    },
    forget: (namespaceId) => void kept.delete(namespaceId),
  }
}

/** Tells batches apart: a Unit's id and seq say what is put. */
export function keyOf(identity: string, { puts, removals }: Batch): string {
  const put = puts.map(({ unitId, seq }) => [unitId, seq])
  const removed = removals.map(({ unitId, plane }) => [unitId, plane])
  return createHash('sha256')
    .update(JSON.stringify([identity, put, removed]))
    .digest('base64')
}

import { createHash } from 'node:crypto'
import type { Batch, Written } from './write.ts'

/** How many namespaces are remembered, and for how long: lost writes must be sent again some day. */
const maxNamespaces = 1000
const validMs = 600_000

/**
 * Writes that were acknowledged but not visible in time, by namespace. If the same batch is written again, it is only
 * waited for. Sent again, it would get new sequence numbers, and an index that lags longer than a try would never catch
 * up.
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

/** Identifies a batch: a Unit's id and seq determine what is put. */
export function keyOf(identity: string, { puts, removals }: Batch): string {
  const put = puts.map(({ unitId, seq }) => [unitId, seq])
  const removed = removals.map(({ unitId, plane }) => [unitId, plane])
  return createHash('sha256')
    .update(JSON.stringify([identity, put, removed]))
    .digest('base64')
}

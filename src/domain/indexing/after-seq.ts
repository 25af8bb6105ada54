import { setTimeout as sleep } from 'node:timers/promises'
import { badRequest, ServiceError } from '../../errors.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from './indexer.ts'

interface AfterSeqDeps extends Pick<Bindings, 'catalog'> {
  indexer: Indexer
  /** How long a read waits for the indexes. */
  afterSeqWaitMs: number
}

/** Seconds until a client tries again. */
const retryAfter = 1

/**
 * Resolves when the indexes of this process hold all changes of the namespace up to the seq that a caller sent. What
 * does not read the indexes need not wait. Throws 400 for a text that is not a seq of the namespace, 503 after a time.
 */
export async function afterSeq(
  { catalog, indexer, afterSeqWaitMs }: AfterSeqDeps,
  namespaceId: string,
  sent: string,
  waits: boolean,
): Promise<void> {
  const seq = /^\d{1,16}$/.test(sent) ? Number(sent) : Number.NaN
  if (!Number.isSafeInteger(seq)) throw badRequest('after_seq: must be an integer of 0 or more')
  if (seq > (await catalog.changes.headSeq(namespaceId)))
    throw badRequest('after_seq: must be at most the latest seq of the namespace')
  if (waits && !(await holds(indexer, namespaceId, seq, afterSeqWaitMs))) {
    const detail = 'the indexes do not hold all changes up to after_seq yet: send the request again'
    throw new ServiceError('not_indexed_yet', detail, { retryAfter })
  }
}

/** An index that does not answer must not keep the caller longer. */
async function holds(indexer: Indexer, namespaceId: string, seq: number, timeoutMs: number): Promise<boolean> {
  const answered = new AbortController()
  const late = sleep(timeoutMs + graceMs, false, { signal: answered.signal }).catch(() => false)
  try {
    return await Promise.race([indexer.waitFor(namespaceId, seq, timeoutMs), late])
  } finally {
    answered.abort()
  }
}

/** The wait itself ends first, if the indexes answer. */
const graceMs = 100

import { z } from 'zod'
import { signalWithin } from '../../async/limits.ts'
import { forEachFew } from '../../async/pieces.ts'
import type { WriteAttempt } from '../../ports/indexes/index-sink.ts'
import type { Ask } from './client.ts'
import { isAbsentNamespace, listed, parallel, pause, retries, withRetries, writeWithRetries } from './client.ts'
import type { PlaneIndex } from './plane-index.ts'

const requestMs = 10_000
const untilGoneMs = 30_000
const pollMs = 100

/** Deletes the namespace in all indexes. Resolves when nothing of it can be read any more. */
export async function drop(
  ask: Ask,
  namespaceId: string,
  indexes: readonly PlaneIndex[],
  { unsettled }: Pick<WriteAttempt, 'unsettled'>,
): Promise<void> {
  const signal = AbortSignal.timeout(untilGoneMs)
  await forEachFew(indexes, parallel, (index) =>
    whereItIs(async () => {
      await deleteNamespace(ask, namespaceId, index, { signal, unsettled })
      while (await holdsAny(ask, namespaceId, index, signal)) await pause(pollMs, signal)
    }),
  )
}

/**
 * Deletes a namespace that became empty in an index: Pinecone keeps empty ones, but only a limited number. Waits until
 * it is deleted; otherwise the deletion could remove later writes.
 */
export const dropIfEmpty = (ask: Ask, namespaceId: string, index: PlaneIndex, attempt: WriteAttempt): Promise<void> =>
  whereItIs(async () => {
    const { signal } = attempt
    if (await holdsAny(ask, namespaceId, index, signal)) return
    await deleteNamespace(ask, namespaceId, index, attempt)
    // Ends when it is reported as absent.
    for (;;) {
      await describeNamespace(ask, namespaceId, index, signal)
      await pause(pollMs, signal)
    }
  })

const describeNamespace = (ask: Ask, namespaceId: string, { host }: PlaneIndex, signal: AbortSignal) =>
  withRetries(retries.write, signal, () =>
    ask(z.object({}), signalWithin(requestMs, signal), (pinecone) =>
      pinecone.index({ host }).describeNamespace(namespaceId),
    ),
  )

const deleteNamespace = (
  ask: Ask,
  namespaceId: string,
  { host }: PlaneIndex,
  attempt: Pick<WriteAttempt, 'signal' | 'unsettled'>,
) =>
  writeWithRetries(attempt, () =>
    ask(z.object({}), signalWithin(requestMs, attempt.signal), (pinecone) =>
      pinecone.index({ host }).deleteNamespace(namespaceId),
    ),
  )

async function holdsAny(ask: Ask, namespaceId: string, { host }: PlaneIndex, signal: AbortSignal): Promise<boolean> {
  const { body } = await withRetries(retries.write, signal, () =>
    ask(listed(namespaceId), signalWithin(requestMs, signal), (pinecone) =>
      pinecone.index({ host, namespace: namespaceId }).listPaginated({ limit: 1 }),
    ),
  )
  return body.vectors.length > 0
}

async function whereItIs(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isAbsentNamespace(error)) throw error
  }
}

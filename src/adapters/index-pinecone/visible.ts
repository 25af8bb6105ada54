import { signalWithin } from '../../async/deadline.ts'
import type { Ask } from './client/client.ts'
import { pause, retries, withRetries } from './client/retries.ts'
import { matches } from './client/shapes.ts'
import type { PlaneIndex } from './indexes/plane-index.ts'
import { fetchSeqs } from './read.ts'
import { field } from './records/record.ts'
import { placeholder } from './records/values.ts'
import type { Written } from './write.ts'

const requestMs = 5000
const pollMs = { first: 20, max: 500 }

/**
 * Resolves when reads of the namespace see the written data. Pinecone acknowledges a write earlier and numbers the
 * writes of a namespace; each query reports the last number that it sees
 * (https://docs.pinecone.io/guides/index-data/check-data-freshness).
 */
export async function untilVisible(
  ask: Ask,
  namespaceId: string,
  written: Written,
  signal: AbortSignal,
): Promise<void> {
  const isVisible = () => (written.lsn === null ? shows(written) : reaches(written.index, written.lsn))
  for (let wait = pollMs.first; ; wait = Math.min(wait * 1.5, pollMs.max)) {
    if (await withRetries(retries.write, signal, isVisible)) return
    await pause(wait, signal)
  }

  async function reaches({ host, dims }: PlaneIndex, lsn: number): Promise<boolean> {
    const { indexedLsn } = await ask(matches(namespaceId), signalWithin(requestMs, signal), (pinecone) =>
      pinecone.index({ host, namespace: namespaceId }).query({ topK: 1, vector: placeholder(dims), filter: noRecord }),
    )
    return indexedLsn !== null && indexedLsn >= lsn
  }

  /** If no numbers are reported: whether the last put records are visible, and the last deleted ones are not. */
  async function shows({ index, put, gone }: Written): Promise<boolean> {
    const seqs = await fetchSeqs(ask, namespaceId, index, [...put.keys(), ...gone], signal)
    return [...put].every(([id, seq]) => seqs.get(id) === seq) && gone.every((id) => !seqs.has(id))
  }
}

/** The query matches nothing: only its log sequence number is needed. */
const noRecord = { [field.seq]: { $eq: -1 } }

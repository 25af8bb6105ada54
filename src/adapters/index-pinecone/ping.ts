import { z } from 'zod'
import { signalWithin } from '../../async/deadline.ts'
import type { Ask } from './client/client.ts'
import type { PlaneIndex } from './indexes/plane-index.ts'

const timeoutMs = 1500
/** Anyone may call the health endpoint: Pinecone is called at most once in this time. */
const validMs = 1000

const answer = z.object({ namespaces: z.array(z.object({ name: z.string() })).default([]) })

/** Requests the name of one namespace from each index. */
export function createPing(ask: Ask, indexes: () => Promise<readonly PlaneIndex[]>): () => Promise<void> {
  let last: { at: number; outcome: Promise<void> } | null = null
  const ping = async () => {
    const asked = (await indexes()).map(({ host }) =>
      ask(answer, signalWithin(timeoutMs), (pinecone) => pinecone.index({ host }).listNamespaces({ limit: 1 })),
    )
    await Promise.all(asked)
  }
  return () => {
    if (last === null || performance.now() >= last.at + validMs) last = { at: performance.now(), outcome: ping() }
    return last.outcome
  }
}

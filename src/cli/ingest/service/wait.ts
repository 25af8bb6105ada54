import { setTimeout as sleep } from 'node:timers/promises'
import { pauseAfter } from '../../../async/backoff.ts'
import { completes } from '../../program/graphql.ts'
import type { Client } from './client.ts'

const pauseMs = { first: 50, max: 1_000, factor: 1.5 }
/** As many as a subscription takes. */
const maxWatched = 1_000

const changes = 'subscription ($ids: [String!]) { documentChanges(documentIds: $ids) { status } }'

/**
 * How to wait before asking again for documents whose runs have not ended. Short runs are over after the first short
 * pauses. Then it watches them until they end; where the service gives no subscription, it pauses.
 */
export function createWait({ service }: Client): (documents: readonly { documentId: string }[]) => Promise<void> {
  let waits = 0
  return async (documents) => {
    const ids = documents.slice(0, maxWatched).map(({ documentId }) => documentId)
    const pause = pauseAfter(pauseMs, waits)
    if (pause === pauseMs.max && (await completes(service, changes, { ids }))) return
    await sleep(pause)
    waits += 1
  }
}

import { ServiceError } from '../../errors.ts'
import type { KeptAnswer } from '../../ports/catalog.ts'
import type { WriteKey } from './write-key.ts'

/** How long a key holds. */
export const keptMs = 24 * 3_600_000

export function requireSame(known: Pick<KeptAnswer, 'request'>, key: WriteKey): void {
  if (known.request === key.request) return
  throw new ServiceError(
    'idempotency_key_reused',
    'the Idempotency-Key was used for another request in the last 24 hours: send a new key with a new request',
  )
}

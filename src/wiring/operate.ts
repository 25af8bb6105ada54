import type { Domain } from '../domain/services.ts'
import { ServiceError } from '../errors.ts'
import { type OperatorRequest, RefusedError } from '../model/operator-error.ts'
import type { TierName } from '../model/tiers.ts'
import { systemRandom } from '../system.ts'

/** What a request did, or found, as a command prints it. */
export type OperatorAnswer =
  | { namespace: string; tier: TierName }
  | { id: string; principal_id: string; namespace: string; scope: string; perms: readonly string[] }

/** Does what the operator asks, in the process that holds the data. Throws a `RefusedError` with the sentence of the service. */
export async function operate({ operator }: Domain, request: OperatorRequest): Promise<OperatorAnswer> {
  const actor = { principalId: 'system', requestId: systemRandom.id('operator') }
  try {
    if (request.kind === 'admin') {
      const { id, principalId: principal_id, namespace, scope, perms } = await operator.grantAdmin(actor, request)
      return { id, principal_id, namespace, scope, perms }
    }
    const { namespace, tier } = request
    const found = await (tier === undefined
      ? operator.namespace(namespace)
      : operator.setTier(actor, { namespace, tier }))
    return { namespace, tier: found.tier }
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) throw new RefusedError(error.detail, error.code)
    throw error
  }
}

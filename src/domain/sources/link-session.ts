import { ServiceError } from '../../errors.ts'
import type { Namespace } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { OperationName } from '../../operations/operations.ts'
import { keySessionOf } from '../access/enter.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'

export type LinkDeps = Pick<Bindings, 'catalog' | 'clock'> & { superAdminToken: string | undefined }

interface Made {
  principalId: string
  keyHash: string | null
  namespace: Namespace
}

/** The present rights of a link's maker, with the restrictions of its key. Null if it may not do the operation any more. */
export async function linkSession(
  deps: LinkDeps,
  { principalId, keyHash, namespace }: Made,
  operation: OperationName,
  requestId: string,
): Promise<Session | null> {
  const found = await keySessionOf(deps, { principalId, keyHash }, namespace.name, requestId)
  if (!found || found.facts.isDeleted) return null
  const session = found.with({ requestedScope: '*' })
  try {
    admit(session, operation)
    return session
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') return null
    throw error
  }
}

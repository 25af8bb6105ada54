import { badRequest, forbidden, quotaExceeded } from '../../errors.ts'
import type { Namespace } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { OperationName } from '../../operations/operations.ts'
import type { AccessReader, Provisioner } from '../../ports/catalog.ts'
import { enter } from '../access/enter.ts'
import { admit, notAdmin, type Target } from '../access/gate.ts'
import { text } from '../input/parse.ts'

/**
 * The caller's current session in that namespace, with the restrictions of its key, admitted to the operation there.
 * Throws 403 unless it is an admin principal there.
 */
export async function adminOf(
  { access, now }: { access: AccessReader; now: number },
  session: Session,
  name: string,
  operation: OperationName,
  reached?: Target,
): Promise<Session> {
  if (!text(63).safeParse(name).success) throw notAdmin()
  const { caller } = session.facts
  const found = caller.superAdmin
    ? await access.namespace(name)
    : (await enter(access, caller.principalId, name, now))?.found
  if (!found) throw notAdmin()
  const there = session.with({ caller, grants: [], ...found, requestedScope: '*' })
  admit(there, operation, reached)
  return there
}

/**
 * Whether the caller may delete these principals, or remove their grants in namespaces they own. Only an owner itself
 * or the super-admin may remove an owner. Errors: 403.
 */
export async function requireNoOtherOwner(
  tx: Provisioner,
  { principalId, facts }: Session,
  principalIds: readonly string[],
): Promise<void> {
  if (facts.caller.superAdmin) return
  for (const namespaceId of await tx.claims.ownedBy(principalIds.filter((id) => id !== principalId))) {
    if (await isLeftBehind(tx, namespaceId)) continue
    throw forbidden('only an owner itself or the super-admin may remove the owner of a namespace')
  }
}

/** Every namespace must keep an admin principal without these; `exceptId` is removed with them. Errors: 400. */
export async function requireAdminsLeft(
  tx: Provisioner,
  principalIds: readonly string[],
  exceptId?: string,
): Promise<void> {
  for (const namespaceId of await tx.administeredBy(principalIds)) {
    if (namespaceId === exceptId || (await isLeftBehind(tx, namespaceId))) continue
    const admins = await tx.adminGrants(namespaceId)
    if (admins.every((grant) => principalIds.includes(grant.principalId))) {
      throw badRequest('cannot delete the last admin principal of a namespace: make another one first')
    }
  }
}

/** The home that a user was provisioned with and moved out of, if it is empty: its owner is not needed any more. */
async function isLeftBehind(tx: Provisioner, namespaceId: string): Promise<boolean> {
  const namespace = await tx.registry.namespace(namespaceId)
  if (!namespace || namespace.registered || namespace.owner === null) return false
  if ((await tx.registry.principals(namespaceId)).count > 0) return false
  return !(await tx.claims.isUsedByOthers(namespaceId, namespace.owner)) && !(await tx.claims.hasScopes(namespaceId))
}

/** Whether one more namespace may be registered from a home, in addition to those that count already. Errors: 402. */
export async function requireNamespaceQuota(tx: Provisioner, home: Namespace, namespaceId: string): Promise<void> {
  const { maxNamespaces, requiredTier } = tiers[home.tier]
  if (maxNamespaces === null || (await tx.claims.countRegistered(home.id, namespaceId)) < maxNamespaces) return
  throw quotaExceeded(`the ${home.tier} tier allows at most ${maxNamespaces} namespace`, requiredTier)
}

import { forbidden, unauthorized } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import { type Namespace, type NamespaceRecord, permissions } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Provisioner } from '../../ports/catalog/provisioner.ts'
import { admit } from '../access/gate.ts'
import { refreshNamespaces } from '../billing/apply-tier.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { currentWrite } from '../writes/current-write.ts'
import { isReserved, isSeeded } from './names.ts'
import { type NamespaceView, namespaceView } from './namespace-view.ts'
import { requireNamespaceQuota } from './ownership.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'>

/**
 * Registers a new namespace to the caller, or claims one without an owner. A caller whose home is still empty moves its
 * home there; after that its home no longer changes. Claiming one's own namespace changes nothing. Errors: 403, always
 * the same, for a name that is not available; 402 above the home tier's `maxNamespaces`.
 */
export async function claimNamespace(deps: Deps, session: Session, name: string): Promise<NamespaceView> {
  admit(session, 'createNamespace')
  return deps.catalog.provision(async (tx) => {
    const home = await homeOf(tx, session, deps.clock.now())
    const existing = await tx.claims.holderOf(name)
    if (existing && !existing.deleted && existing.owner === session.principalId) {
      return namespaceView(existing, home?.id ?? null)
    }
    await requireUnclaimed(tx, session, name, existing)
    const claimed = existing ?? { id: deps.random.id('ns'), name }
    if (home) await requireNamespaceQuota(tx, home, claimed.id)
    return claim(deps, tx, session, home, claimed)
  })
}

/** Null for the super-admin, who has no home. */
export async function homeOf(
  tx: Provisioner,
  { facts: { caller } }: Session,
  now: number,
): Promise<NamespaceRecord | null> {
  if (caller.superAdmin) return null
  const membership = await tx.access.membership(caller.principalId, undefined, now)
  const home = membership && (await tx.registry.namespace(membership.principal.home.id))
  if (!home) throw unauthorized()
  return home
}

type Holder = Awaited<ReturnType<Provisioner['claims']['holderOf']>>

/** Reserved, owned, deleted, or in use without an owner: the caller cannot tell which. */
async function requireUnclaimed(tx: Provisioner, session: Session, name: string, holder: Holder): Promise<void> {
  const taken =
    isReserved(name) ||
    (holder !== null &&
      (holder.deleted || holder.owner !== null || (await tx.claims.isUsedByOthers(holder.id, session.principalId))))
  if (taken) throw forbidden('namespace: this name is not available; choose another one')
}

async function claim(
  deps: Deps,
  tx: Provisioner,
  session: Session,
  home: NamespaceRecord | null,
  { id, name }: Pick<Namespace, 'id' | 'name'>,
): Promise<NamespaceView> {
  const now = deps.clock.now()
  // A higher tier from payments is added below, for as long as they last.
  const homeRecord = home && (await tx.billing.namespace(home.id))
  const tier = homeRecord?.baseTier ?? home?.tier ?? 'free'
  await tx.ensureNamespace({ id, name, tier, createdAt: now })
  await tx.claims.register(id, session.principalId)
  if (home) await grantEverything(deps, tx, session, session.principalId, id, now)
  const left = home && (await leaves(tx, session, home, id)) ? home : null
  const detail = { namespace_id: id, moved: left !== null }
  await tx.audit(id, auditEntry(session, now, 'namespace.claim', name, detail))
  if (left) {
    await tx.claims.moveHome(session.principalId, id)
    const write = currentWrite()
    if (write) write.movedTo = id
    await tx.audit(left.id, auditEntry(session, now, 'namespace.claim', name, detail))
  }
  await refreshNamespaces(tx, left ? [id, left.id] : [id], now, session)
  const claimed = await tx.registry.namespace(id)
  if (!claimed) throw new Error(`the claimed namespace ${id} is missing`)
  return namespaceView(claimed, left ? id : (home?.id ?? null))
}

/** Grants everything to an owner. */
async function grantEverything(
  deps: Pick<Deps, 'random'>,
  tx: Provisioner,
  session: Session,
  principalId: string,
  id: string,
  now: number,
): Promise<void> {
  await tx.insertGrant(id, {
    id: deps.random.id('grant'),
    principalId,
    scope: '*',
    perms: permissions,
    groups: [],
    grantedBy: session.principalId,
    createdAt: now,
    expiresAt: null,
  })
}

/** Whether the caller's home moves. In another owner's namespace it stays: moving out would escape that owner. */
async function leaves(tx: Provisioner, session: Session, home: NamespaceRecord, claimedId: string): Promise<boolean> {
  const isFree = home.owner === null || home.owner === session.principalId
  return home.id !== claimedId && isFree && !isSeeded(home.name) && !(await tx.claims.hasScopes(home.id))
}

import { forbidden, InvalidInputError, unauthorized } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { PageRange } from '../../model/page.ts'
import { type Namespace, type NamespaceRecord, permissions } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Membership, Provisioner } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import type { BackgroundWork } from '../background/background.ts'
import { refreshNamespaces } from '../billing/receive-event.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import { currentWrite } from '../writes/writes.ts'
import {
  createGrant,
  createPrincipal,
  deleteGrant,
  deletePrincipal,
  getGrant,
  getPrincipal,
  listGrants,
  listPrincipals,
  updatePrincipal,
} from './members.ts'
import {
  deleteNamespace,
  getNamespace,
  isReserved,
  isSeeded,
  listNamespaces,
  type NamespaceView,
  namespaceView,
  requireNamespaceQuota,
  updateNamespace,
} from './namespaces.ts'
import type { GrantInput, NamespaceUpdate, PrincipalInput, PrincipalUpdate, TransferInput } from './registry-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'identity'> &
  Pick<DomainSettings, 'brand' | 'billing'> & { background: BackgroundWork; turns: Turns }

/**
 * Registers a new namespace to the caller, or claims one without an owner. A caller whose home is still empty moves its
 * home there; after that its home no longer changes. Claiming one's own namespace changes nothing. Errors: 403, always
 * the same, for a name that is not available; 402 above the home tier's `maxNamespaces`.
 */
async function claimNamespace(deps: Deps, session: Session, name: string): Promise<NamespaceView> {
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
async function homeOf(tx: Provisioner, { facts: { caller } }: Session, now: number): Promise<NamespaceRecord | null> {
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
  const tier = homeRecord?.baseTier ?? home?.tier ?? deps.billing.defaultTier
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

/**
 * Makes an admin principal of a registered namespace its owner. The former owner keeps its grants and its home. Only the
 * owner and the super-admin may do it, with a key without restrictions. The part of the tier from payments then depends
 * on the new owner. Errors: 403, the same for a namespace that does not exist; 400 for an unregistered home, and for a
 * principal that is not an admin principal there, is an agent or read-only; 402 above the `maxNamespaces` of the new
 * owner's home.
 */
async function transferNamespace(
  deps: Deps,
  session: Session,
  { namespace: name, principalId }: TransferInput,
): Promise<NamespaceView> {
  admit(session, 'transferNamespace')
  return deps.catalog.provision(async (tx) => {
    const now = deps.clock.now()
    const home = await homeOf(tx, session, now)
    const { id, owner } = await requireTransferable(tx, session, name)
    const heir = requireHeir(await tx.access.membership(principalId, name, now))
    if (owner !== principalId) {
      await requireNamespaceQuota(tx, heir.principal.home, id)
      await tx.claims.register(id, principalId)
      const former = owner === null ? null : await tx.access.membership(owner, undefined, now)
      const homes = [id, heir.principal.home.id, ...(former ? [former.principal.home.id] : [])]
      const detail = { namespace_id: id, from: owner, to: principalId }
      for (const chain of new Set(homes)) {
        await tx.audit(chain, auditEntry(session, now, 'namespace.transfer', name, detail))
      }
      await refreshNamespaces(tx, [id], now, session)
    }
    const transferred = await tx.registry.namespace(id)
    if (!transferred) throw new Error(`the transferred namespace ${id} is missing`)
    return namespaceView(transferred, home?.id ?? null)
  })
}

async function requireTransferable(tx: Provisioner, { principalId, facts }: Session, name: string) {
  const namespace = await tx.claims.holderOf(name)
  const mayTransfer = facts.caller.superAdmin || namespace?.owner === principalId
  if (!namespace || namespace.deleted || !mayTransfer || isSeeded(name)) {
    throw forbidden('only the owner of a namespace and the super-admin may transfer it')
  }
  if (!namespace.registered)
    throw new InvalidInputError(
      ['namespace'],
      'must be a registered namespace; an unregistered home cannot be transferred',
    )
  return namespace
}

/** Not an agent: an owner decides where agents only read. */
function requireHeir(heir: Membership | null): Membership {
  const isAdmin = heir?.target?.grants.some(
    ({ scope, perms, expiresAt }) => scope === '*' && expiresAt === null && perms.includes('admin'),
  )
  if (!heir || !isAdmin)
    throw new InvalidInputError(['principalId'], 'must be the id of an admin principal of the namespace')
  if (heir.principal.readOnly)
    throw new InvalidInputError(['principalId'], 'must not be read-only: an owner must be able to write')
  if (heir.principal.kind === 'agent') throw new InvalidInputError(['principalId'], 'must not be an agent')
  return heir
}

export const createRegistries = (deps: Deps) => (session: Session) => {
  // Only a list without a range may be long.
  const inTurn = <T>(range: PageRange | undefined, work: () => Promise<T>) =>
    range === undefined ? deps.turns.answering(session, heavy, work) : work()
  return {
    namespaces: {
      list: (range?: PageRange) => inTurn(range, () => listNamespaces(deps, session, range)),
      get: (name: string) => getNamespace(deps, session, name),
      create: (name: string) => claimNamespace(deps, session, name),
      update: (input: NamespaceUpdate) => updateNamespace(deps, session, input),
      transfer: (input: TransferInput) => transferNamespace(deps, session, input),
      delete: (name: string) => deleteNamespace(deps, session, name),
    },
    grants: {
      list: (range?: PageRange) => inTurn(range, () => listGrants(deps, session, range)),
      get: (id: string) => getGrant(deps, session, id),
      create: (input: GrantInput) => createGrant(deps, session, input),
      delete: (id: string) => deleteGrant(deps, session, id),
    },
    principals: {
      list: (range?: PageRange) => inTurn(range, () => listPrincipals(deps, session, range)),
      get: (id: string) => getPrincipal(deps, session, id),
      create: (input: PrincipalInput) => createPrincipal(deps, session, input),
      update: (update: PrincipalUpdate) => updatePrincipal(deps, session, update),
      delete: (id: string) => deletePrincipal(deps, session, id),
    },
  }
}

import { badRequest, forbidden, quotaExceeded } from '../../errors.ts'
import { type Actor, auditEntry } from '../../model/audit.ts'
import type { PageRange } from '../../model/page.ts'
import type { Namespace, NamespaceRecord } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { Plane } from '../../model/unit.ts'
import type { OperationName } from '../../operations/operations.ts'
import type { AccessReader, Provisioner, Revoked } from '../../ports/catalog.ts'
import { admit, enter, notAdmin, type Target } from '../access/gate.ts'
import type { BackgroundWork } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Page, pageOf } from '../input/page.ts'
import { text } from '../input/parse.ts'
import type { NamespaceUpdate } from './registry-input.ts'

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
  throw quotaExceeded(`the ${home.tier} tier allows at most ${maxNamespaces} namespace`, home, requiredTier)
}

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'identity'> & { background: BackgroundWork }

/**
 * The caller's home and every namespace in which it holds a grant, by name; for the super-admin, all namespaces. Without
 * a range the list is whole.
 */
export async function listNamespaces(
  { catalog: { registry }, clock }: Pick<Deps, 'catalog' | 'clock'>,
  session: Session,
  range?: PageRange,
): Promise<Page<NamespaceView>> {
  const { items, count } = await (session.facts.caller.superAdmin
    ? registry.namespaces(range)
    : registry.namespacesOf(session.principalId, clock.now(), range))
  return pageOf({ items: items.map((record) => namespaceView(record, homeIdOf(session))), count }, range)
}

/** Needs an admin principal of that namespace. Any other name, existing or not, gives the same 403. */
export async function getNamespace(
  { catalog: { access, registry }, clock }: Pick<Deps, 'catalog' | 'clock'>,
  session: Session,
  name: string,
): Promise<NamespaceView> {
  const admin = await adminOf({ access, now: clock.now() }, session, name, 'namespace')
  const record = await registry.namespace(admin.namespace.id)
  if (!record) throw notAdmin()
  return namespaceView(record, homeIdOf(session))
}

/**
 * Changes a namespace's settings, from the next request on; omitted ones stay as they are. Needs an admin principal of
 * it. Any other name, existing or not, gives the same 403.
 */
export async function updateNamespace(
  { catalog, clock }: Pick<Deps, 'catalog' | 'clock'>,
  session: Session,
  { namespace: name, ...settings }: NamespaceUpdate,
): Promise<NamespaceView> {
  return catalog.provision(async (tx) => {
    const now = clock.now()
    const { namespace } = await adminOf({ ...tx, now }, session, name, 'updateNamespace')
    await tx.updateNamespace(namespace.id, settings)
    const updated = await tx.registry.namespace(namespace.id)
    if (!updated) throw notAdmin()
    const detail = { hidden_count: updated.hiddenCount }
    await tx.audit(namespace.id, auditEntry(session, now, 'namespace.update', name, detail))
    return namespaceView(updated, homeIdOf(session))
  })
}

/**
 * Removes the namespace with all its content, at once and permanently: its name is never used again. Its Units are
 * removed in the background. Needs an admin principal of it: its owner, while there is one, or the super-admin. Errors:
 * 403, also for a seeded namespace, and if another owner has its home there; 400 if another namespace would lose its
 * last admin.
 */
export async function deleteNamespace(deps: Deps, session: Session, name: string) {
  const { tokens, ...counts } = await deps.catalog.provision(async (tx) => {
    const now = deps.clock.now()
    const { namespace } = await adminOf({ ...tx, now }, session, name, 'deleteNamespace', { scope: '*' })
    if (isSeeded(name))
      throw forbidden('cannot delete a seeded namespace: only namespaces that a principal registered can be deleted')
    await requireDispensable(tx, session, namespace.id)
    const { tokens, grants, scopes, principals } = await tx.removeNamespace(namespace.id, now)
    const here = grants.filter(({ namespaceId }) => namespaceId === namespace.id).length
    const counts = { scopes, grants: here, principals }
    const entry = auditEntry(session, now, 'namespace.delete', name, counts)
    const { home } = session.facts.caller
    for (const id of new Set([namespace.id, home.id])) await tx.audit(id, entry)
    await recordElsewhere(tx, session, now, namespace.id, grants)
    return { tokens, ...counts }
  })
  await deps.identity.forget(tokens)
  deps.background.kick()
  return { deleted: true, ...counts }
}

/** Its owner and the principals whose home it is lose everything they have. */
async function requireDispensable(tx: Provisioner, session: Session, namespaceId: string): Promise<void> {
  const { items } = await tx.registry.principals(namespaceId)
  const homed = items.map(({ principalId }) => principalId)
  const owner = (await tx.registry.namespace(namespaceId))?.owner
  await requireNoOtherOwner(tx, session, owner ? [...homed, owner] : homed)
  await requireAdminsLeft(tx, homed, namespaceId)
}

/** The demo namespace and those of the tiers are shared, so nobody owns, leaves or deletes them. */
export const isSeeded = (name: string): boolean => name === 'demo' || Object.hasOwn(tiers, name)

/** `u-…` are the home namespaces that are provisioned for console users. */
export const isReserved = (name: string): boolean => isSeeded(name) || name.startsWith('u-')

/** A namespace as its caller sees it. */
export interface NamespaceView extends Omit<NamespaceRecord, 'id'> {
  /** Whether it is the caller's home. */
  home: boolean
  /** The planes of the tier. */
  planes: readonly Plane[]
  /** How many registered namespaces its principals may own, including itself; null for no limit. */
  maxNamespaces: number | null
}

/** `homeId` is null for the super-admin, who has no home. */
export function namespaceView({ id, ...record }: NamespaceRecord, homeId: string | null): NamespaceView {
  const { planes, maxNamespaces } = tiers[record.tier]
  return { ...record, home: id === homeId, planes, maxNamespaces }
}

const homeIdOf = ({ facts: { caller } }: Session): string | null => (caller.superAdmin ? null : caller.home.id)

/** Deleting a principal also removes its grants in other namespaces: each of their chains records why. */
export async function recordElsewhere(
  tx: Provisioner,
  actor: Actor,
  now: number,
  homeId: string,
  grants: Revoked['grants'],
): Promise<void> {
  for (const { namespaceId, id, principalId } of grants) {
    if (namespaceId === homeId) continue
    await tx.audit(namespaceId, auditEntry(actor, now, 'grant.delete', id, { principal_id: principalId }))
  }
}

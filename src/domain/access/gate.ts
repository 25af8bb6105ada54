import { forbidden } from '../../errors.ts'
import {
  type KeyRestrictions,
  type Namespace,
  overlap,
  type Permission,
  type ScopePattern,
} from '../../model/registry.ts'
import { type Caller, Session, type SessionFacts } from '../../model/session.ts'
import type { Plane } from '../../model/unit.ts'
import type { Need, Operation, Reach } from '../../operations/operation.ts'
import { type OperationName, operations } from '../../operations/operations.ts'
import type { AccessReader, Membership } from '../../ports/catalog.ts'
import type { Bindings } from '../bindings/bindings.ts'

/** A principal and its rights in the namespace. `found` is null if the namespace does not exist or it may not enter. */
export interface Entry {
  principal: Membership['principal']
  /** See `Membership`. */
  token: Membership['token']
  found: Pick<SessionFacts, 'caller' | 'namespace' | 'scopes' | 'grants' | 'asOf'> | null
}

/**
 * The one place that decides who may enter a namespace: principals whose home it is, and those with a valid grant there
 * at `now`. Without a name, the home namespace is meant. Null for an unknown or deleted principal.
 */
export async function enter(
  access: Pick<AccessReader, 'membership'>,
  principalId: string,
  name: string | undefined,
  now: number,
  tokenHash?: string,
): Promise<Entry | null> {
  const membership = await access.membership(principalId, name, now, tokenHash)
  if (!membership) return null
  const { principal, token, target } = membership
  const mayEnter = target && (target.namespace.id === principal.home.id || target.grants.length > 0)
  return { principal, token, found: mayEnter ? { caller: { ...principal, superAdmin: false }, ...target } : null }
}

/** The super-admin's target of this name. Of a deleted namespace, only the log is left. Null for an unknown name. */
export async function superAdminTarget(
  access: Pick<AccessReader, 'namespace' | 'deletedNamespace'>,
  name: string,
): Promise<Pick<SessionFacts, 'namespace' | 'scopes' | 'isDeleted' | 'asOf'> | null> {
  const live = await access.namespace(name)
  if (live) return live
  const namespace = await access.deletedNamespace(name)
  return namespace && { namespace, scopes: [], isDeleted: true }
}

export const superAdminId = 'super-admin'

/** It exists by configuration; every namespace counts as its home. */
export const superAdminCaller = (home: Namespace): Caller => ({
  principalId: superAdminId,
  home,
  kind: 'service',
  groups: [],
  readOnly: false,
  activeScope: '*',
  superAdmin: true,
})

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { superAdminToken: string | undefined }

/**
 * A principal's current rights in a namespace, for work that it requested earlier and that runs without a credential.
 * Null for a deleted principal or namespace, or one that it may no longer enter.
 */
export const sessionOf = async (
  deps: Deps,
  principalId: string,
  namespace: string,
  requestId: string,
): Promise<Session | null> => (await present(deps, principalId, namespace, requestId))?.session ?? null

async function present(
  { catalog, clock, superAdminToken }: Deps,
  principalId: string,
  namespace: string,
  requestId: string,
  keyHash?: string,
): Promise<{ session: Session; token?: Entry['token'] } | null> {
  const bound = { requestId, requestedScope: undefined, restrictions: {} }
  if (principalId === superAdminId) {
    const target = superAdminToken === undefined ? null : await superAdminTarget(catalog.access, namespace)
    return (
      target && {
        session: new Session({ ...bound, ...target, caller: superAdminCaller(target.namespace), grants: [] }),
      }
    )
  }
  const entry = await enter(catalog.access, principalId, namespace, clock.now(), keyHash)
  return entry?.found ? { session: new Session({ ...bound, ...entry.found }), token: entry.token } : null
}

/** Who requested something, and with which key: null for a console session and the super-admin. */
interface KeyHolder {
  principalId: string
  keyHash: string | null
}

/** The same with the restrictions of the key. Null also for a key that was revoked or has expired. */
export async function keySessionOf(
  deps: Deps,
  { principalId, keyHash }: KeyHolder,
  namespace: string,
  requestId: string,
): Promise<Session | null> {
  const found = await present(deps, principalId, namespace, requestId, keyHash ?? undefined)
  if (!found || keyHash === null) return found?.session ?? null
  const key = found.token === undefined ? await deps.catalog.access.token(keyHash) : found.token
  if (key?.principalId !== principalId) return null
  const { restrictions, expiresAt } = key
  if (expiresAt !== null && expiresAt <= deps.clock.now()) return null
  return found.session.with({ restrictions, keyHash, keyExpiresAt: expiresAt ?? undefined })
}

/** What an operation will touch, as far as it is known. */
export interface Target {
  scope?: ScopePattern
  planes?: readonly Plane[]
}

/** The possible restrictions of an API key. */
type Restriction = keyof KeyRestrictions | 'expiresAt'

interface Rule {
  /** For the error message: what the credential may not do. */
  act: string
  /** Keys with any of these restrictions are refused. The needed permissions check the other restrictions. */
  keys: readonly Restriction[]
  /** Agents are refused always, or only where the target includes a scope that is read-only for agents. */
  agents?: 'refused' | 'kept to open scopes'
}

const byContent = ['planes', 'groups'] as const
const byWhatIsShown = [...byContent, 'hiddenCount'] as const
const byAnything = ['perms', 'scopePrefix', 'planes', 'groups', 'hiddenCount', 'expiresAt'] as const

/** What restricted keys and agents may not do. */
export const rules: Record<Reach, Rule> = {
  clamped: { act: 'do this', keys: [] },
  scope: { act: 'change a whole scope', keys: byContent },
  subtree: { act: 'delete a whole scope', keys: byContent, agents: 'kept to open scopes' },
  planes: { act: 'change the indexes or vectors of all groups', keys: ['groups'] },
  namespace: { act: 'use what belongs to the whole namespace', keys: byContent },
  settings: { act: 'change what holds for the whole namespace', keys: byWhatIsShown },
  tenant: { act: 'delete a namespace', keys: byContent, agents: 'kept to open scopes' },
  member: { act: 'make a principal', keys: ['planes'] },
  grant: { act: 'grant access', keys: byWhatIsShown },
  access: { act: 'revoke access', keys: byContent, agents: 'kept to open scopes' },
  log: { act: 'export the whole audit log', keys: byContent },
  account: { act: 'join, claim, transfer or pay for namespaces', keys: byAnything },
  seed: { act: 'seed', keys: byAnything, agents: 'refused' },
}

/**
 * The one access check of the domain. Every operation calls it after its input is parsed, with its name in the table of
 * operations. Throws 403 for a missing permission, or when a restriction of the key or of agents forbids the operation.
 */
export function admit(session: Session, name: OperationName, target: Target = {}): void {
  const { needs, reach }: Operation = operations[name]
  if (needs) requireNeed(session, needs, target.scope)
  const { act, keys, agents } = rules[reach]
  const restriction = restrictionsOf(session).find((one) => keys.includes(one))
  if (restriction)
    throw forbidden(`${restriction}: an API key with this restriction may not ${act}; use one without it`)
  if (session.facts.caller.kind === 'agent' && agents) requireOpen(session, agents, act, target.scope)
  if (target.planes) requireKeyPlanes(session, target.planes)
  session.passed.add(name)
}

/** True if the operation has passed the check in this session, or if it is open to everyone in the namespace. */
export function hasPassed(session: Session, name: OperationName): boolean {
  const { needs, reach }: Operation = operations[name]
  return (needs === null && reach === 'clamped') || session.passed.has(name)
}

/** Requires a permission in addition to those of the operation. For `*` it is enough to hold it on any scope. */
export function requirePermission(session: Session, perm: Permission, path: ScopePattern): void {
  if (!session.mayUnder(perm, path)) throw forbidden(`${perm} permission is required on ${path}`)
}

/** The same for writes, which include everything writable at or below a path. */
export function requireBelow(session: Session, perm: Permission, path: ScopePattern): void {
  if (!session.mayBelow(perm, path)) throw forbidden(`${perm} permission is required on ${path} or below it`)
}

/** Requires that the key allows these planes. */
export function requireKeyPlanes(session: Session, planes: readonly Plane[]): void {
  const closed = planes.find((plane) => !session.keyPlanes.includes(plane))
  if (closed)
    throw forbidden(`planes: the API key does not allow the plane ${closed}, only ${session.keyPlanes.join(', ')}`)
}

/** Whether the session may read the records of all Units of the namespace. */
export const readsWhole = (session: Session): boolean =>
  !restrictionsOf(session).some((restriction) => rules.log.keys.includes(restriction))

function requireNeed(session: Session, { perms, on }: Need, scope: ScopePattern = session.requestedScope): void {
  if (on === 'scope') for (const perm of perms) requirePermission(session, perm, scope)
  if (on === 'below') for (const perm of perms) requireBelow(session, perm, scope)
  if (on === 'namespace' && !perms.every((perm) => session.may(perm, '*'))) throw notAdmin()
  if (on === 'anywhere' && !perms.some((perm) => session.mayUnder(perm, '*'))) {
    throw forbidden(`${perms.join(' or ')} permission is required`)
  }
}

/** The same error for a namespace that does not exist. */
export const notAdmin = () => forbidden('an admin principal of the namespace is required')

function restrictionsOf({ facts: { restrictions, keyExpiresAt } }: Session): Restriction[] {
  return byAnything.filter((one) => (one === 'expiresAt' ? keyExpiresAt : restrictions[one]) !== undefined)
}

function requireOpen(session: Session, agents: Rule['agents'], act: string, scope?: ScopePattern): void {
  if (agents === 'refused') throw forbidden(`an agent may not ${act}: use a token of another kind of principal`)
  if (scope === undefined) return
  const closed = session.facts.scopes.find((s) => s.readOnlyAgents && overlap(scope, s.scope) !== null)
  if (closed)
    throw forbidden(
      `an agent may not ${act} while scope ${closed.scope} is read-only to agents: change the scope first`,
    )
}

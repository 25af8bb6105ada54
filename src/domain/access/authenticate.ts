import { createHash, timingSafeEqual } from 'node:crypto'
import { badRequest, namespaceNotGranted, unauthorized } from '../../errors.ts'
import { type Actor, auditEntry } from '../../model/audit.ts'
import { isScopePath, permissions, starterScope } from '../../model/registry.ts'
import type { Room } from '../../model/request.ts'
import { agentTokenPrefix } from '../../model/request.ts'
import { Session, type SessionFacts } from '../../model/session.ts'
import { planes } from '../../model/unit.ts'
import type { Identified } from '../../ports/access/identity.ts'
import type { ConsoleUser } from '../../ports/access/sessions.ts'
import type { Random } from '../../ports/clock.ts'
import type { BackgroundTask } from '../background/background.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { type Entry, enter, superAdminCaller, superAdminTarget } from './gate.ts'
import type { CountRequest } from './request-limits.ts'
import { tokenHash } from './tokens.ts'

type ProvisionUserDeps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & Pick<DomainSettings, 'billing'>

/**
 * Creates a user's namespace, a principal that owns it, and a first scope. This happens once per user: of concurrent
 * requests one provisions, and the others find the result. Returns the principal's id.
 */
export function provisionUser(deps: ProvisionUserDeps, user: ConsoleUser, requestId: string): Promise<string> {
  const { catalog, clock, random, billing } = deps
  return catalog.provision(async (tx) => {
    const linked = await tx.access.principalOfUser(user.userId)
    if (linked !== null) return linked
    const createdAt = clock.now()
    const namespace = { id: random.id('ns'), name: homeName(user.email, random) }
    const principalId = random.id('user')
    const grant = { id: random.id('grant'), scope: '*' as const, perms: permissions, groups: [], expiresAt: null }
    const scope = { id: random.id('scope'), scope: starterScope, parent: null, planes, readOnlyAgents: false }
    await tx.provisionUser({
      userId: user.userId,
      name: user.name.trim().slice(0, 128).toWellFormed() || null,
      email: user.email,
      principalId,
      namespace,
      tier: billing.defaultTier,
      grant,
      scope,
      createdAt,
    })
    const detail = { namespace_id: namespace.id, grant_id: grant.id, scope_id: scope.id }
    await tx.audit(
      namespace.id,
      auditEntry({ principalId, requestId }, createdAt, 'principal.provision', principalId, detail),
    )
    return principalId
  })
}

/** The maximum length of a namespace's name. */
const maxNameLength = 63

/** Long enough that nobody can guess it and claim the name first. */
const idLength = 16

/** `u-<email>-<id>`: the e-mail as `[a-z0-9-]`, shortened to fit; the id in full. */
export function homeName(email: string, random: Random): string {
  const id = random.base62(idLength).toLowerCase()
  const room = maxNameLength - 'u--'.length - id.length
  const slug = email
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, room)
    .replace(/^-+|-+$/g, '')
  return ['u', slug, id].filter((part) => part !== '').join('-')
}

/** The parts of a request that identify the caller and the target. */
interface Credentials {
  /** The raw `Authorization` header. */
  authorization: string | undefined
  /** The raw `Cookie` header. */
  cookie?: string | undefined
  namespace: string | undefined
  /** All selectors of a scope in the request; the first one counts. */
  scopes: readonly string[]
  requestId: string
  /** The requested operation, as far as it is known yet. It is written to the record of a refusal. */
  operation: string
  /** The protocol, if it is neither REST nor GraphQL. */
  via?: string | undefined
  /** Headers of the answer. A request that has them counts towards the limits, once. */
  answerHeaders?: Record<string, string> | undefined
  /** The memory that the request takes. */
  room?: Room | undefined
}

interface AccessDeps extends Pick<Bindings, 'catalog' | 'identity' | 'sessions' | 'clock' | 'random'> {
  billing: DomainSettings['billing']
  superAdminToken: string | undefined
  brand: string
  refusals: RefusalRecorder
  /** Null without limits. */
  countRequest: CountRequest | null
}

/** The namespace of the super-admin when the request names none. */
const superAdminHome = 'demo'

/**
 * Null without a credential; a cookie without a live session does not count as one. Throws 401 for a bad credential,
 * 403 for a namespace that was not granted, 400 for an empty selector or a bad scope.
 */
type Authenticate = (credentials: Credentials) => Promise<Session | null>

/** The first mechanism in the request decides: a bad token is refused even if the cookie is good. */
export function createAuthenticate(deps: AccessDeps): Authenticate {
  return async (credentials) => {
    const { authorization, scopes, requestId, via, room } = credentials
    const facts =
      authorization === undefined
        ? await sessionFacts(deps, credentials)
        : await tokenFacts(deps, bearer(authorization), credentials)
    if (!facts) return null
    return new Session({ ...facts, requestedScope: scopeOf(scopes), requestId, via, room })
  }
}

/** Refuses an empty selector anywhere in the list: it must not widen the request. */
function scopeOf(scopes: readonly string[]): string | undefined {
  if (scopes.includes('')) throw badRequest('scope: must not be empty')
  const [scope] = scopes
  if (scope !== undefined && scope !== '*' && !isScopePath(scope))
    throw badRequest('scope: must be a scope path such as acme/backend, or *')
  return scope
}

type Facts = Omit<SessionFacts, 'requestedScope' | 'requestId' | 'via' | 'room'>

async function tokenFacts(deps: AccessDeps, token: string, credentials: Credentials): Promise<Facts> {
  const { identity, superAdminToken, brand } = deps
  if (isSuperAdmin(token, superAdminToken)) return superAdminFacts(deps, credentials.namespace)
  const isAgent = token.startsWith(agentTokenPrefix(brand))
  // An agent's token is for /mcp alone.
  const isOpen = !isAgent || credentials.via === 'mcp'
  const identified = !isOpen ? null : await (isAgent ? identifyAgent(deps, token) : identity.verifyToken(token))
  if (!identified) throw unauthorized()
  return principalFacts(deps, identified, credentials)
}

/** A user's first request provisions the user. A user whose principal was deleted is refused from then on. */
async function sessionFacts(deps: AccessDeps, credentials: Credentials): Promise<Facts | null> {
  const { cookie, requestId } = credentials
  const user = cookie === undefined ? null : await deps.sessions.user(cookie)
  if (!user) return null
  const linked = await deps.catalog.access.principalOfUser(user.userId)
  const principalId = linked ?? (await provisionUser(deps, user, requestId))
  return principalFacts(deps, { principalId, restrictions: {} }, credentials)
}

async function principalFacts(
  { catalog, refusals, countRequest, clock }: AccessDeps,
  identified: Identified,
  { namespace, requestId, operation, via, answerHeaders }: Credentials,
): Promise<Facts> {
  const { principalId, keyHash, agent } = identified
  const only = agent?.namespace ?? undefined
  // An agent's token is not among the keys, and was read just now.
  const key = agent ? undefined : keyHash
  const entry = await enter(catalog.access, principalId, namespace ?? only, clock.now(), key)
  if (!entry || entry.token === null || hasExpired(entry.token, clock.now())) throw unauthorized()
  const { principal } = entry
  if (answerHeaders) await countRequest?.({ principalId, homeId: principal.home.id }, answerHeaders)
  requireNamed(namespace)
  const found = only === undefined || namespace === undefined || namespace === only ? entry.found : null
  // A namespace that does not exist gets the same error as one that was not granted.
  if (!found) {
    const refusal = namespaceNotGranted()
    const target = { namespace: null, kind: 'unknown' } as const
    const actor = { principalId, requestId, via, client: agent?.clientId }
    await refusals.refused({ ...actor, homeId: principal.home.id, operation, ...target }, refusal)
    throw refusal
  }
  // As it is now: what `identity` knows of a token may be some seconds old.
  const { restrictions, expiresAt } = entry.token ?? identified
  const facts = { ...found, restrictions, keyHash, keyExpiresAt: expiresAt ?? undefined }
  // A person's agent is held to what agents may do.
  return agent ? { ...facts, caller: { ...found.caller, kind: 'agent' }, client: agent.clientId } : facts
}

const hasExpired = (token: Entry['token'], now: number) => token?.expiresAt != null && token.expiresAt <= now

async function superAdminFacts(deps: AccessDeps, name: string | undefined): Promise<Facts> {
  const { access } = deps.catalog
  requireNamed(name)
  const target = await superAdminTarget(access, name ?? superAdminHome)
  if (!target && name === undefined) {
    // Never seeded: without a target namespace the super-admin could not even register the first one.
    await ensureHome(deps)
    return superAdminFacts(deps, superAdminHome)
  }
  if (!target) throw namespaceNotGranted()
  return { caller: superAdminCaller(target.namespace), ...target, grants: [], restrictions: {} }
}

function requireNamed(namespace: string | undefined): void {
  if (namespace === '') throw badRequest('namespace: must not be empty')
}

const ensureHome = ({ catalog, clock, random }: AccessDeps) =>
  catalog.provision((tx) =>
    tx.ensureNamespace({ id: random.id('ns'), name: superAdminHome, tier: 'enterprise', createdAt: clock.now() }),
  )

function bearer(authorization: string): string {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (token === undefined) throw unauthorized()
  return token
}

const digest = (text: string) => createHash('sha256').update(text).digest()

function isSuperAdmin(token: string, secret: string | undefined): boolean {
  return secret !== undefined && timingSafeEqual(digest(token), digest(secret))
}

/** The use of a connection is written down about once a minute. */
const useMs = 60_000

/**
 * Whose access token it is, and what the person's consent leaves of that person's rights. It is read each time, so that
 * a connection ends at once. Null for a token that is unknown, expired or revoked.
 */
async function identifyAgent(
  { catalog: { agents }, clock }: Pick<Bindings, 'catalog' | 'clock'>,
  token: string,
): Promise<Identified | null> {
  const now = clock.now()
  const found = await agents.token(tokenHash(token))
  if (found?.kind !== 'access' || found.expiresAt <= now) return null
  const { id, principalId, perms, scopePrefix, clientId, namespace, lastUsedAt } = found.connection
  // A disk without space keeps nobody from reading.
  if ((lastUsedAt ?? 0) < now - useMs) await agents.recordUse(id, now, now - useMs).catch(() => {})
  return {
    principalId,
    restrictions: { perms, ...(scopePrefix !== null && { scopePrefix }) },
    keyHash: found.hash,
    expiresAt: found.expiresAt,
    agent: { clientId, namespace },
  }
}

interface RefusedRequest extends Actor {
  /** The home namespace of the caller: a refused request adds no rows to the log of another namespace. */
  homeId: string
  /** The REST route or the GraphQL root field. */
  operation: string
  /** The target namespace, if it was granted. */
  namespace: string | null
  /** How the target relates to the caller. */
  kind: 'home' | 'granted' | 'unknown'
}

/**
 * Records refusals of authenticated callers. Above a number of rows per principal and minute, refusals are only
 * counted, so that nobody can fill a log. Each operation, kind of target and outcome has its own count, and the first
 * refusal of each still gets its row: so a flood of one cannot hide another.
 */
export interface RefusalRecorder {
  /** Records only 402 and 403. Callers await it before they respond. */
  refused(request: RefusedRequest, error: unknown): Promise<void>
  /** Closes the minutes that have ended; returns how many. */
  sweep(): Promise<number>
  /** Closes all minutes. */
  stop(): Promise<number>
}

type Deps = Pick<Bindings, 'catalog' | 'sessions'> & Pick<DomainSettings, 'brand' | 'openSeed'>

/** What to offer to someone who is not signed in. Public. */
export async function signInOptions({ catalog, sessions, brand, openSeed }: Deps) {
  const firstRun = openSeed && !(await catalog.access.hasPrincipals())
  return { firstRun, ...sessions.ways, brand }
}

/** Removes sessions, and links in mails, past their end. They open nothing any more, swept or not. */
export const removeExpired = ({ catalog, clock }: Pick<Bindings, 'catalog' | 'clock'>): BackgroundTask => ({
  name: 'remove ended sessions and links',
  run: async () => {
    await catalog.signIn.removeExpired(clock.now())
    return 0
  },
})

import { badRequest, forbidden, InvalidInputError, notFound, unauthorized } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { PageRange } from '../../model/page.ts'
import { covers, type KeyRestrictions, narrowestOf } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { ApiKey } from '../../ports/catalog.ts'
import { mintToken, tokenHash } from '../access/tokens.ts'
import { type BackgroundTask, onceARound } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Page, pageWithin } from '../input/page.ts'
import type { KeyInput } from './key-input.ts'

/** The first restriction where `asked` is wider than `held`, or null. A missing restriction allows everything. */
export function widens(held: KeyRestrictions, asked: KeyRestrictions): keyof KeyRestrictions | null {
  if (!isSubset(held.perms, asked.perms)) return 'perms'
  if (held.scopePrefix !== undefined && !covers(held.scopePrefix, asked.scopePrefix ?? '*')) return 'scopePrefix'
  if (!isSubset(held.planes, asked.planes)) return 'planes'
  if (!isSubset(held.groups, asked.groups)) return 'groups'
  if (narrowestOf([held.hiddenCount, asked.hiddenCount]) !== narrowestOf([asked.hiddenCount])) return 'hiddenCount'
  return null
}

const isSubset = (held: readonly string[] | undefined, asked: readonly string[] | undefined) =>
  held === undefined || (asked?.every((item) => held.includes(item)) ?? false)

/** The restrictions of a key created by one with `held`: missing ones are inherited, wider ones give 403. */
function narrow(held: KeyRestrictions, asked: KeyRestrictions): KeyRestrictions {
  const narrowed = { ...held, ...asked }
  const beyond = widens(held, narrowed)
  if (beyond !== null) throw forbidden(`${beyond}: a restricted key can only create keys within its own restrictions`)
  return narrowed
}

/** The same for the expiry; null is never. */
function endsNoLater(held: number | undefined, asked: number | undefined): number | null {
  if (held !== undefined && asked !== undefined && asked > held) {
    throw forbidden('expiresAt: a key that expires can only create keys that expire no later')
  }
  return asked ?? held ?? null
}

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'identity'> & { brand: string }

const maxKeys = 100

/**
 * Creates a key of the calling principal. It has the principal's rights at the time of use, minus its restrictions. A
 * restricted key creates keys within its own restrictions. Expired keys make room for new ones. Errors: 400, also above
 * 100 keys; 403.
 */
async function createKey(deps: Deps, session: Session, asked: KeyInput) {
  const now = deps.clock.now()
  if (asked.expiresAt !== undefined && asked.expiresAt <= now) {
    throw new InvalidInputError(['expiresAt'], 'must be in the future')
  }
  requireRecord(session)
  const { principalId, facts } = session
  const key: ApiKey = {
    id: deps.random.id('key'),
    name: asked.name,
    createdAt: now,
    lastUsedAt: null,
    expiresAt: endsNoLater(facts.keyExpiresAt, asked.expiresAt),
    restrictions: narrow(facts.restrictions, asked.restrictions),
  }
  const token = mintToken(deps.brand, key.name, deps.random)
  return deps.catalog.transact(facts.caller.home.id, async ({ tokens, audit }) => {
    const keys = await tokens.list(principalId)
    const expired = keys.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)
    if (keys.length - expired.length >= maxKeys)
      throw badRequest(`a principal may have at most ${maxKeys} API keys: revoke one first`)
    const ids = expired.map(({ id }) => id)
    await tokens.remove(principalId, ids)
    const { lastUsedAt: _, ...row } = key
    if (!(await tokens.insert(principalId, { ...row, hash: tokenHash(token) }))) throw unauthorized()
    await audit(auditEntry(session, now, 'key.create', key.id, { key: key.id, expired_removed: ids.length }))
    return { key, token }
  })
}

/** The calling principal's keys that are not wider than the calling key, oldest first. */
async function listKeys(
  { catalog }: Pick<Deps, 'catalog'>,
  session: Session,
  range?: PageRange,
): Promise<Page<ApiKey>> {
  requireRecord(session)
  return pageWithin(withinReach(session, await catalog.tokens.list(session.principalId)), range)
}

/** Revokes a key at once. A key that is unknown, another principal's, or wider than the calling key is not found. */
async function revokeKey(deps: Deps, session: Session, id: string) {
  requireRecord(session)
  const hashes = await deps.catalog.transact(session.facts.caller.home.id, async ({ tokens, audit }) => {
    const keys = withinReach(session, await tokens.list(session.principalId))
    if (!keys.some((key) => key.id === id)) throw notFound('no such key: the id must be that of one of your API keys')
    await audit(auditEntry(session, deps.clock.now(), 'key.revoke', id, { key: id }))
    return tokens.remove(session.principalId, [id])
  })
  await deps.identity.forget(hashes)
  return { revoked: true, id }
}

/** Otherwise the user of a narrow key could revoke the principal's wide keys. */
const withinReach = ({ facts }: Session, keys: readonly ApiKey[]) =>
  keys.filter(({ restrictions }) => widens(facts.restrictions, restrictions) === null)

/** Keys belong to a principal's record. */
function requireRecord({ facts }: Session): void {
  if (facts.caller.superAdmin) throw forbidden('the super-admin has no API keys: use the token of a principal')
}

export function createKeys(deps: Deps) {
  /** Writes the time of last use of keys, outside the requests that used them. */
  const recordUses = async () => {
    const uses = deps.identity.takeUses()
    if (uses.length > 0) await deps.catalog.tokens.recordUses(uses)
  }
  const tasks: BackgroundTask[] = [onceARound('record uses of keys', recordUses)]
  return {
    recordUses,
    tasks,
    servicesFor: (session: Session) => ({
      list: async (range?: PageRange) => {
        // A key that was used a moment ago is not listed as unused. A disk that is full refuses no list.
        await recordUses().catch(() => {})
        return listKeys(deps, session, range)
      },
      create: (input: KeyInput) => createKey(deps, session, input),
      revoke: (id: string) => revokeKey(deps, session, id),
    }),
  }
}

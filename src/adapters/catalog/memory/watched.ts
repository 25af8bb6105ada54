import type pg from 'pg'
import type { AccessReader, Membership } from '../sql/access.ts'
import type { SearchFacts, UnitLoader } from '../sql/read-units.ts'
import { Commits, observedClient, type Versions } from './commits.ts'
import { type CatalogMemory, type Changes, type Freshness, Memory, type Space } from './memory.ts'

export interface WatchedMemory extends CatalogMemory {
  /** For the pool's one connection: this class of clients, whose statements are observed. */
  observed(client: typeof pg.Client): typeof pg.Client
}

/**
 * The memory of the embedded catalog: who is calling, what it may see, what a search goes by, and the Units of hits. It is exact,
 * because every statement passes through this process: nothing that was not committed is in it, and nothing that a commit changed
 * stays.
 */
export function createWatchedMemory(maxBytes: number): WatchedMemory {
  const [memory, commits] = [new Memory(maxBytes), new Commits()]
  return {
    observed: (client) => observedClient(commits, client),
    access: (reader) => watchedAccess(memory, commits, reader),
    units: (reader) => memory.units(reader, watchedUnits(memory, commits, reader)),
    within: (namespaceId) => commits.within(namespaceId),
    changed: () => {},
  }
}

/** About what an entry takes. Bytes. */
const sizes = { entry: 400, row: 250, facts: 900 }

/** An answer that holds for the times `from` <= t < `until`, while no commit changes who may do what. */
interface Known {
  version: number
  value: unknown
  from: number
  until: number
}

/** Answers what is known from memory, as of the last commit. */
function watchedAccess(memory: Memory, commits: Commits, reader: AccessReader): AccessReader {
  const recall = async <T>(key: string, now: number, read: () => Promise<T>, span: (value: T) => Span | null) => {
    await commits.settled
    const version = commits.access
    const known = memory.get(key) as Known | undefined
    if (known && known.version === version && known.from <= now && now < known.until) return known.value as T
    const value = await read()
    const kept = commits.access === version ? span(value) : null
    if (kept) memory.set(key, { version, value, from: kept.from ?? 0, until: kept.until ?? Infinity }, kept.size)
    return value
  }

  return {
    ...reader,
    token: (hash) => recall(`token ${hash}`, 0, () => reader.token(hash), ifFound),
    principalOfUser: (userId) => recall(`user ${userId}`, 0, () => reader.principalOfUser(userId), ifFound),
    membership: (principalId, name, now) =>
      recall(
        JSON.stringify(['member', principalId, name]),
        now,
        () => reader.membership(principalId, name, now),
        (membership) => spanOf(membership, now),
      ),
    namespace: (name) =>
      recall(
        `namespace ${name}`,
        0,
        () => reader.namespace(name),
        (found) => found && { size: sizes.entry + found.scopes.length * sizes.row },
      ),
  }
}

interface Span {
  size: number
  from?: number
  until?: number
}

/** What is not found is not kept: guessing must not fill the memory. */
const ifFound = (found: object | string | null): Span | null => (found === null ? null : { size: sizes.entry })

/** Until the first of its grants expires. */
function spanOf(membership: Membership | null, now: number): Span | null {
  if (!membership?.target) return null
  const { grants, scopes } = membership.target
  const until = Math.min(...grants.map(({ expiresAt }) => expiresAt ?? Infinity))
  return { from: now, until, size: sizes.entry + (grants.length + scopes.length) * sizes.row }
}

/** Answers what a search reads from memory, as of the last commit. */
function watchedUnits(memory: Memory, commits: Commits, reader: UnitLoader): Freshness {
  /** The versions that a space was last compared with. */
  const comparedWith = new WeakMap<Space, Versions>()

  /** What is kept of the namespace. A change of its scopes makes it unknown. */
  const keptOf = (namespaceId: string, now: Versions): Space | undefined => {
    const space = memory.space(namespaceId)
    if (space && comparedWith.get(space)?.scopes !== now.scopes) memory.forget(namespaceId)
    return memory.space(namespaceId)
  }

  const isCurrent = (namespaceId: string, { units, scopes }: Versions) => {
    const present = commits.versionsOf(namespaceId)
    return present.units === units && present.scopes === scopes
  }

  /** Applies what was read after `now`. Null if a commit came in between. */
  const learn = (
    known: Space | undefined,
    now: Versions,
    { namespaceId, seq, changed }: Pick<Changes, 'namespaceId' | 'seq' | 'changed'>,
  ): Space | null => {
    if (!isCurrent(namespaceId, now)) return null
    memory.apply(known, { namespaceId, seq, since: known?.seq ?? -1, changed, units: [], counts: null })
    const space = memory.space(namespaceId)
    if (space) comparedWith.set(space, now)
    return space ?? null
  }

  return {
    state: async ({ namespaceId }) => {
      await commits.settled
      const now = commits.versionsOf(namespaceId)
      const known = keptOf(namespaceId, now)
      const at = (space: Space) => ({ space, isCurrent: () => isCurrent(namespaceId, now) })
      if (known && comparedWith.get(known)?.units === now.units) return at(known)
      const { seq, changed } = await reader.changedSince(namespaceId, known?.seq ?? null)
      const space = learn(known, now, { namespaceId, seq, changed })
      return space && at(space)
    },

    searchFacts: async (visibility) => {
      await commits.settled
      const { namespaceId, clauses, planes } = visibility
      const now = commits.versionsOf(namespaceId)
      const known = keptOf(namespaceId, now)
      const keyIn = ({ epoch }: Space) => `facts ${epoch} ${now.units} ${JSON.stringify([clauses, planes])}`
      const kept = known && comparedWith.get(known)?.units === now.units ? memory.get(keyIn(known)) : undefined
      if (kept) return kept as SearchFacts
      const { changed, ...facts } = await reader.factsSince(visibility, known?.seq ?? null)
      const space = learn(known, now, { namespaceId, seq: facts.seq, changed })
      if (space) memory.set(keyIn(space), facts, sizes.facts)
      return facts
    },
  }
}

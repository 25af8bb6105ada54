import { LRUCache } from 'lru-cache'
import type { Unit } from '../../../model/unit.ts'
import { mayRead, type ReadClause } from '../../../model/unit.ts'
import type { AccessReader } from '../sql/access.ts'
import type { Known, Proof, UnitCount } from '../sql/proof.ts'
import type { SearchFacts, UnitLoader, UnitReader } from '../sql/read-units.ts'
import type { Read } from '../sql/select.ts'
import type { Visibility } from '../sql/select-units.ts'
import type { LoadedUnit } from '../sql/unit-columns.ts'

/** Unless the setting says otherwise. MiB. */
export const defaultMemoryMb = 64

/** The largest share of the limit that one entry may take. */
const maxShare = 0.25

/** About what an entry takes; a Unit besides its text. Bytes. */
const sizes = { space: 200, count: 250, unit: 900 }

/**
 * What the process keeps of the catalog, so that a search need not ask the database. It can be emptied at any time. How it
 * learns what has changed depends on who writes: see `watched.ts` and `proven.ts`.
 */
export interface CatalogMemory {
  /** `read` runs statements outside of transactions. */
  access(reader: AccessReader, read: Read): AccessReader
  units(reader: UnitLoader): UnitReader
  /** The open transaction writes Units and scopes of this namespace only. */
  within(namespaceId: string): void
  /** This process changed Units of the namespace. */
  changed(namespaceId: string): void
}

/** What is kept of a namespace: each kept Unit is of this seq or a later one. A change makes another object. */
export interface Space extends Known {
  /** Units are kept under it: another one makes all of them unknown. */
  epoch: number
  /** At `seq`. Null: not kept. */
  counts: UnitCount[] | null
}

/** What a read tells about a namespace. */
export type Changes = Omit<Proof, 'models'>

/** How the memory learns what has changed. */
export interface Freshness {
  /**
   * What is kept of the namespace, in a state that this read may answer from, and whether what is read meanwhile is of that
   * state. Null: only the database can answer.
   */
  state(visibility: Visibility): Promise<{ space: Space; isCurrent(): boolean } | null>
  searchFacts(visibility: Visibility): Promise<SearchFacts>
}

/** Entries within a limit, the least recently used of which go first, and among them Units of all readers. */
export class Memory {
  readonly #entries: LRUCache<string, object>
  #epochs = 0

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({ maxSize: maxBytes, maxEntrySize: Math.ceil(maxBytes * maxShare) })
  }

  get(key: string): object | undefined {
    return this.#entries.get(key)
  }

  /** `size`: about how many bytes it takes. The value is frozen, because all requests share it. */
  set(key: string, value: object, size: number): void {
    this.#entries.set(key, deepFreeze(value), { size: Math.ceil(size) + 2 * key.length })
  }

  space(namespaceId: string): Space | undefined {
    return this.get(spaceKey(namespaceId)) as Space | undefined
  }

  /** Makes all of the namespace unknown. */
  forget(namespaceId: string): void {
    this.#entries.delete(spaceKey(namespaceId))
  }

  /** Forgets what has changed since `known`, which the statement named, and keeps what it read. */
  apply(known: Space | undefined, changes: Changes): void {
    const { namespaceId, seq, since, changed, units } = changes
    const present = this.space(namespaceId)
    // Another statement was faster and knows later changes, or it made a new beginning.
    if (present && present !== known && (present.seq >= seq || present.epoch !== known?.epoch)) return
    const counts = countsOf(known, changes)
    const continues = present !== undefined && known?.seq === since && changed !== null
    if (continues && seq === present.seq) return
    if (continues) for (const unitId of changed) this.#entries.delete(unitKey(present, unitId))
    const space: Space = { namespaceId, epoch: continues ? present.epoch : ++this.#epochs, seq, counts }
    this.set(spaceKey(namespaceId), space, sizes.space + (counts?.length ?? 0) * sizes.count)
    this.#put(space, units)
  }

  /** Reads Units from memory, else from the catalog. The per-Unit rule is applied here, to what leaves. */
  units(reader: UnitLoader, { state, searchFacts }: Freshness): UnitReader {
    /** The live Units among these, for all readers. Null if the memory cannot answer. */
    const recall = async (visibility: Visibility, unitIds: readonly string[]): Promise<LoadedUnit[] | null> => {
      const at = await state(visibility)
      if (at === null) return null
      const known = unitIds.flatMap((unitId) => this.#unit(at.space, unitId) ?? [])
      if (known.length === unitIds.length) return known
      const found = new Set(known.map(({ unitId }) => unitId))
      const missing = unitIds.filter((unitId) => !found.has(unitId))
      const { seq, units } = await reader.load(at.space.namespaceId, missing)
      if (!at.isCurrent()) return null
      this.#keep(at.space, seq, units)
      return [...known, ...units]
    }

    const hydrate = async (visibility: Visibility, unitIds: readonly string[]): Promise<Unit[]> => {
      const found = await recall(visibility, unitIds)
      if (found === null) return reader.hydrate(visibility, unitIds)
      const visible = found.filter((one) => isVisible(visibility, one))
      const long = visible.filter(({ unit }) => unit === null).map(({ unitId }) => unitId)
      const read = long.length === 0 ? [] : await reader.hydrate(visibility, long)
      return [...visible.flatMap(({ unit }) => unit ?? []), ...read]
    }

    return {
      ...reader,
      get: async (visibility, unitId) => (await hydrate(visibility, [unitId]))[0] ?? null,
      hydrate: async (visibility, unitIds) => (unitIds.length === 0 ? [] : hydrate(visibility, unitIds)),
      countHiddenAmong: async (visibility, unitIds) => {
        if (unitIds.length === 0) return 0
        const found = await recall(visibility, unitIds)
        if (found === null) return reader.countHiddenAmong(visibility, unitIds)
        return found.filter((one) => isClosed(visibility.clauses, one)).length
      },
      searchFacts,
    }
  }

  #unit(space: Space, unitId: string): LoadedUnit | undefined {
    return this.get(unitKey(space, unitId)) as LoadedUnit | undefined
  }

  /** Keeps Units that were read at `seq`, unless a later change of them may be known already. */
  #keep({ namespaceId, epoch }: Space, seq: number, units: readonly LoadedUnit[]): void {
    const present = this.space(namespaceId)
    if (present?.epoch === epoch && seq >= present.seq) this.#put(present, units)
  }

  #put(space: Space, units: readonly LoadedUnit[]): void {
    for (const one of units) {
      const text = (one.unit?.text?.length ?? 0) + (one.unit?.title?.length ?? 0)
      this.set(unitKey(space, one.unitId), one, sizes.unit + 2 * text)
    }
  }
}

const spaceKey = (namespaceId: string) => `space ${namespaceId}`
const unitKey = ({ epoch }: Space, unitId: string) => `unit ${epoch} ${unitId}`

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part)
  return Object.freeze(value)
}

/** The counts of the statement's snapshot. */
export const countsOf = (known: Space | undefined, { counts }: Pick<Changes, 'counts'>): UnitCount[] | null =>
  counts === undefined ? (known?.counts ?? null) : counts

/** What decides who may read something. */
type Closing = Pick<LoadedUnit, 'scopeId' | 'acl'>

const clauseOf = (clauses: readonly ReadClause[], { scopeId }: Closing) =>
  clauses.find(({ scopeIds }) => scopeIds.includes(scopeId))

/** The per-Unit rule, as in the SQL of `sql/select-units.ts`. */
function isVisible({ clauses, planes }: Visibility, loaded: LoadedUnit): boolean {
  const clause = clauseOf(clauses, loaded)
  return clause !== undefined && planes.includes(loaded.plane) && mayRead(clause.reader, loaded.acl)
}

/** Its scope is in the clauses, but they do not allow reading it. */
export function isClosed(clauses: readonly ReadClause[], loaded: Closing): boolean {
  const clause = clauseOf(clauses, loaded)
  return clause !== undefined && !mayRead(clause.reader, loaded.acl)
}

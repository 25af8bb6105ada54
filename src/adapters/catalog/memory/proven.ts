import type { Moment } from '../../../model/session.ts'
import type { Columns, Row } from '../database/columns.ts'
import type { Prisma } from '../generated/client.ts'
import type { AccessReader } from '../sql/access.ts'
import {
  type Entering,
  membershipColumns,
  membershipSql,
  namespaceSql,
  targetColumns,
  toMembership,
  toTarget,
} from '../sql/access.ts'
import { readWithProof, type UnitCount } from '../sql/proof.ts'
import type { PlaneModel, UnitReader } from '../sql/read-units.ts'
import type { Read } from '../sql/select.ts'
import type { Visibility } from '../sql/select-units.ts'
import { type CatalogMemory, countsOf, type Freshness, isClosed, Memory } from './memory.ts'

/**
 * The memory of a database that others write to as well. Nothing in it counts by itself: the statement that reads a request's
 * rights also reads what has changed since, in the same snapshot, and the request sees what is kept as of that snapshot or later.
 */
export function createProvenMemory(maxBytes: number): CatalogMemory {
  const [memory, writes] = [new Memory(maxBytes), new OwnWrites()]
  return {
    access: (reader, read) => provingAccess(memory, writes, read, reader),
    units: (reader) => memory.units(reader, provenUnits(memory, writes, reader)),
    within: () => {},
    changed: (namespaceId) => writes.changed(namespaceId),
  }
}

/** What a request knows of the namespace that it entered. */
interface ProvenMoment extends Moment {
  seq: number
  models: PlaneModel[]
  counts: UnitCount[] | null
  /** `performance.now()` when its statement was sent. */
  at: number
  /** This process's own writes to the namespace at that time. */
  writes: number
}

/** Counts this process's changes of Units. What a request read before its own write must not answer after it. */
class OwnWrites {
  #count = 0
  readonly #last = new Map<string, number>()

  /** A point in time, to compare with later. */
  mark(): number {
    return this.#count
  }

  changed(namespaceId: string): void {
    this.#last.set(namespaceId, ++this.#count)
  }

  since(namespaceId: string, mark: number): boolean {
    return (this.#last.get(namespaceId) ?? 0) > mark
  }
}

const nameBytes = 150

/** Reads who may do what for every request, and with it what has changed in the namespace that the request enters. */
function provingAccess(memory: Memory, writes: OwnWrites, read: Read, reader: AccessReader): AccessReader {
  /** `name`: which namespace is probably entered, if it was entered before under this name. */
  const enter = async <C extends Columns>(
    name: string,
    columns: C,
    entering: Prisma.Sql,
  ): Promise<{ row: Row<C>; asOf: ProvenMoment | undefined } | null> => {
    const before = memory.get(`name ${name}`) as { namespaceId: string } | undefined
    const known = before && memory.space(before.namespaceId)
    const [at, written] = [performance.now(), writes.mark()]
    const found = await readWithProof(read, columns, entering, known)
    if (!found?.proof) return found && { row: found.row, asOf: undefined }
    const { row, proof } = found
    const { namespaceId, seq, models } = proof
    memory.apply(known, proof)
    if (before?.namespaceId !== namespaceId) memory.set(`name ${name}`, { namespaceId }, nameBytes)
    return { row, asOf: { namespaceId, seq, models, counts: countsOf(known, proof), at, writes: written } }
  }

  return {
    ...reader,
    provesTokens: true,

    membership: async (principalId, namespace, now, tokenHash) => {
      const entering: Entering = { principalId, namespace, now, tokenHash }
      const name = namespace === undefined ? `of ${principalId}` : `is ${namespace}`
      const found = await enter(name, membershipColumns, membershipSql(entering))
      if (!found) return null
      const { target, ...membership } = toMembership(found.row, entering)
      return { ...membership, target: target && { ...target, ...asOfOf(found) } }
    },

    namespace: async (name) => {
      const found = await enter(`is ${name}`, targetColumns, namespaceSql(name))
      const target = found && toTarget(found.row)
      return target && { ...target, ...asOfOf(found) }
    },
  }
}

const asOfOf = ({ asOf }: { asOf: ProvenMoment | undefined }) => (asOf ? { asOf } : {})

/** Requests that take longer read what is true by then. */
const maxAgeMs = 1000

/** Answers what a search reads from memory, as of the moment at which the request entered the namespace or later. */
function provenUnits(memory: Memory, writes: OwnWrites, reader: UnitReader): Freshness {
  const momentOf = ({ namespaceId, asOf }: Visibility): ProvenMoment | null => {
    const moment = asOf as ProvenMoment | undefined
    if (moment?.namespaceId !== namespaceId || performance.now() - moment.at > maxAgeMs) return null
    return writes.since(namespaceId, moment.writes) ? null : moment
  }

  return {
    state: async (visibility) => {
      const moment = momentOf(visibility)
      const space = moment && memory.space(moment.namespaceId)
      // What is read later than the moment may be seen, too.
      return space && space.seq >= moment.seq ? { space, isCurrent: () => true } : null
    },

    searchFacts: async (visibility) => {
      const moment = momentOf(visibility)
      if (!moment) return reader.searchFacts(visibility)
      const { seq, models, counts } = moment
      if (counts === null) return { seq, hidden: await reader.countHidden(visibility), models }
      const closed = counts.filter(
        (count) => visibility.planes.includes(count.plane) && isClosed(visibility.clauses, count),
      )
      return { seq, hidden: closed.reduce((sum, { units }) => sum + units, 0), models }
    },
  }
}

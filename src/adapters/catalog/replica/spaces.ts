import type { Moment } from '../../../model/session.ts'
import type { PlaneModel } from '../../../ports/catalog/catalog.ts'
import type { Held } from '../memory/held.ts'
import { sizeOf } from '../memory/loaded.ts'
import type { Known, Proof, UnitCount } from '../sql/access/proof.ts'
import type { LoadedUnit } from '../sql/units/rows.ts'

/** What is kept of a namespace: each kept Unit is of this seq or a later one. */
export interface Space extends Known {
  /** Units are kept under it: another one makes all of them unknown. */
  epoch: number
  /** At `seq`. Null: too many to keep. */
  counts: UnitCount[] | null
}

/** What a request knows of the namespace that it entered. */
export interface ProvenMoment extends Moment {
  seq: number
  models: PlaneModel[]
  counts: UnitCount[] | null
  /** `performance.now()` when its statement was sent. */
  at: number
  /** This process's own writes to the namespace at that time. */
  writes: number
}

const bytes = { space: 200, count: 250 }

/** The namespaces of which this replica keeps something, and the one place where changes of them are applied. */
export class Spaces {
  readonly #held: Held
  #epochs = 0

  constructor(held: Held) {
    this.#held = held
  }

  of(namespaceId: string): Space | undefined {
    return this.#held.get(keyOf(namespaceId)) as Space | undefined
  }

  unit({ epoch }: Space, unitId: string): LoadedUnit | undefined {
    return this.#held.get(unitKey(epoch, unitId)) as LoadedUnit | undefined
  }

  /** Keeps Units that were read at `seq`, unless a later change of them may be known already. */
  keep({ namespaceId, epoch }: Space, seq: number, units: readonly LoadedUnit[]): void {
    const present = this.of(namespaceId)
    if (present?.epoch === epoch && seq >= present.seq) this.#put(epoch, units)
  }

  /** Forgets what has changed since `known`, which was sent with the statement, and keeps what it read. */
  apply(known: Space | undefined, proof: Proof): void {
    const { namespaceId, seq, changed, units } = proof
    const present = this.of(namespaceId)
    // Another statement was faster and knows later changes, or it made a new beginning.
    if (present && present !== known && (present.seq >= seq || present.epoch !== known?.epoch)) return
    const counts = countsOf(known, proof)
    const continues = present !== undefined && known?.seq === proof.since
    if (continues && changed !== null) {
      if (seq === present.seq) return
      for (const unitId of changed) this.#held.delete(unitKey(present.epoch, unitId))
      this.#set({ namespaceId, epoch: present.epoch, seq, counts })
      this.#put(present.epoch, units)
      return
    }
    const epoch = ++this.#epochs
    this.#set({ namespaceId, epoch, seq, counts })
    this.#put(epoch, units)
  }

  #set(space: Space): void {
    this.#held.set(keyOf(space.namespaceId), space, bytes.space + (space.counts?.length ?? 0) * bytes.count)
  }

  #put(epoch: number, units: readonly LoadedUnit[]): void {
    for (const one of units) this.#held.set(unitKey(epoch, one.unitId), one, sizeOf(one))
  }
}

const keyOf = (namespaceId: string) => `space ${namespaceId}`
const unitKey = (epoch: number, unitId: string) => `unit ${epoch} ${unitId}`

/** The counts of the statement's snapshot. */
export const countsOf = (known: Space | undefined, { counts }: Proof): UnitCount[] | null =>
  counts === undefined ? (known?.counts ?? null) : counts

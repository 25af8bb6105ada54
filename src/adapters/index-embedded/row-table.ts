import { mayRead } from '../../model/acl.ts'
import { type Filterable, matches } from '../../model/search.ts'
import type { Acl } from '../../model/unit.ts'
import type { IndexedUnit, IndexFilter } from '../../ports/index-filter.ts'

export interface Row<P> extends Filterable {
  unitId: string
  seq: number
  scopeId: string
  acl: Acl
  /** What this index searches by. */
  payload: P
}

/** The rows of one (namespace, plane). A row keeps its number until `compact`; updates append and leave a gap. */
export class RowTable<P> {
  #rows: (Row<P> | null)[] = []
  #numbers = new Map<string, number>()
  // Few distinct ACLs serve many rows: interned, each is decided once a query.
  #acls = new Map<string, Acl>()

  /** By number; null where a row was removed or replaced. */
  get rows(): readonly (Row<P> | null)[] {
    return this.#rows
  }

  get mostlyDead(): boolean {
    return this.#rows.length > 2 * this.#numbers.size
  }

  /** Stores the Unit in place of its older row; returns the new row's number. */
  put(unit: IndexedUnit, payload: P): number {
    this.remove(unit.unitId)
    const { unitId, seq, scopeId, modality, docId, externalId, sourceUri, mime, locator, metadata, createdAt } = unit
    const columns = { modality, docId, externalId, sourceUri, mime, locator, metadata, createdAt }
    const number = this.#rows.push({ unitId, seq, scopeId, acl: this.#intern(unit.acl), ...columns, payload }) - 1
    this.#numbers.set(unitId, number)
    return number
  }

  remove(unitId: string): void {
    const number = this.#numbers.get(unitId)
    if (number === undefined) return
    this.#rows[number] = null
    this.#numbers.delete(unitId)
  }

  /** Closes the gaps, order kept; returns new numbers by old ones, -1 for gaps. */
  compact(): Int32Array {
    const renumbered = new Int32Array(this.#rows.length).fill(-1)
    const kept: Row<P>[] = []
    this.#numbers.clear()
    this.#acls.clear()
    this.#rows.forEach((row, old) => {
      if (row === null) return
      const number = kept.push({ ...row, acl: this.#intern(row.acl) }) - 1
      renumbered[old] = number
      this.#numbers.set(row.unitId, number)
    })
    this.#rows = kept
    return renumbered
  }

  manifest(): Map<string, number> {
    const seqs = new Map<string, number>()
    for (const row of this.#rows) if (row !== null) seqs.set(row.unitId, row.seq)
    return seqs
  }

  /** By row number, 1 where the search may see the row: its scope, its ACL and every filter allow it. */
  visible(filter: IndexFilter, scopeIds: readonly string[]): Uint8Array {
    const scopes = new Set(scopeIds)
    const readable = new Map<Acl, boolean>()
    const unfiltered = Object.keys(filter.filters).length === 0
    const visible = new Uint8Array(this.#rows.length)
    this.#rows.forEach((row, number) => {
      if (row === null || !scopes.has(row.scopeId)) return
      const allowed = readable.get(row.acl) ?? mayRead(filter.reader, row.acl)
      readable.set(row.acl, allowed)
      if (allowed && (unfiltered || matches(filter.filters, row))) visible[number] = 1
    })
    return visible
  }

  #intern(acl: Acl): Acl {
    const key = JSON.stringify([acl.owner, acl.groups])
    const known = this.#acls.get(key) ?? { owner: acl.owner, groups: [...acl.groups] }
    this.#acls.set(key, known)
    return known
  }
}

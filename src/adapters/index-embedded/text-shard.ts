import type { IndexedUnit, IndexFilter } from '../../ports/index-filter.ts'
import { analyse } from './analysis/analyse.ts'
import type { FieldName } from './analysis/query-terms.ts'
import { InvertedField } from './inverted-field.ts'
import { type Row, RowTable } from './row-table.ts'
import type { Shard } from './unit-store.ts'

export class TextShard implements Shard {
  // Units without text have rows too: the manifest answers for every live Unit.
  readonly #table = new RowTable<null>()
  readonly fields: Readonly<Record<FieldName, InvertedField>> = {
    content: new InvertedField(),
    stop: new InvertedField(),
  }

  get rows(): readonly (Row<null> | null)[] {
    return this.#table.rows
  }

  put(unit: IndexedUnit): void {
    const tokens = analyse(unit.text ?? '')
    const row = this.#table.put(unit, null)
    const terms = (stop: boolean) => tokens.filter((token) => token.stop === stop).map((token) => token.term)
    this.fields.content.add(row, terms(false))
    this.fields.stop.add(row, terms(true))
    this.#compactWhenDue()
  }

  remove(unitId: string): void {
    this.#table.remove(unitId)
    this.#compactWhenDue()
  }

  manifest(): ReadonlyMap<string, number> {
    return this.#table.manifest()
  }

  visible(filter: IndexFilter, scopeIds: readonly string[]): Uint8Array {
    return this.#table.visible(filter, scopeIds)
  }

  #compactWhenDue(): void {
    if (!this.#table.mostlyDead) return
    const renumbered = this.#table.compact()
    this.fields.content.renumber(renumbered)
    this.fields.stop.renumber(renumbered)
  }
}

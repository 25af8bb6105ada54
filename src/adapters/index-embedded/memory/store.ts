import { allocate, Column, type ColumnState, type Kind } from './column.ts'

export type StoreState = Readonly<Record<string, ColumnState>>

/** The columns of a structure, by name: what other threads and snapshots get. */
export class Store {
  readonly #given: StoreState
  readonly #columns = new Map<string, Column<Kind>>()

  constructor(given: StoreState = {}) {
    this.#given = given
  }

  /** The given column, or an empty one. */
  column<K extends Kind>(name: string, kind: K): Column<K> {
    const given = this.#given[name] ?? { kind, array: allocate(kind, 0), length: 0 }
    if (given.kind !== kind) throw new TypeError(`the column ${name} holds ${given.kind}, not ${kind}`)
    const column = new Column(given as ColumnState<K>)
    this.#columns.set(name, column)
    return column
  }

  /** The columns as they are now; later growth is not visible. */
  state(): StoreState {
    return Object.fromEntries(
      [...this.#columns].map(([name, { kind, array, length }]) => [name, { kind, array, length }]),
    )
  }

  get bytes(): number {
    return [...this.#columns.values()].reduce((sum, { array }) => sum + array.byteLength, 0)
  }
}

import { allocate, Column, type ColumnState, type Kind } from './column.ts'

export type StoreState = Readonly<Record<string, ColumnState>>

/** The columns that a structure is made of, by name: what other threads and snapshots are given. */
export class Store {
  readonly #given: StoreState
  readonly #columns = new Map<string, Column<Kind>>()

  constructor(given: StoreState = {}) {
    this.#given = given
  }

  /** A column as it was given, else an empty one. */
  column<K extends Kind>(name: string, kind: K): Column<K> {
    const given = this.#given[name] ?? { kind, array: allocate(kind, 0), length: 0 }
    if (given.kind !== kind) throw new TypeError(`the column ${name} holds ${given.kind}, not ${kind}`)
    const column = new Column(given as ColumnState<K>)
    this.#columns.set(name, column)
    return column
  }

  /** The columns as they are now; later growth does not show. */
  state(): StoreState {
    return Object.fromEntries(
      [...this.#columns].map(([name, { kind, array, length }]) => [name, { kind, array, length }]),
    )
  }

  get bytes(): number {
    return [...this.#columns.values()].reduce((sum, { array }) => sum + array.byteLength, 0)
  }
}

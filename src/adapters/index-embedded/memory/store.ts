/** What a column can hold. */
interface Arrays {
  u8: Uint8Array<SharedArrayBuffer>
  u32: Uint32Array<SharedArrayBuffer>
  f64: Float64Array<SharedArrayBuffer>
}

export type Kind = keyof Arrays

const arrayOf = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array }

/** A column as passed to another thread or read from a file: only the first `length` values of `array` are valid. */
export interface ColumnState<K extends Kind = Kind> {
  kind: K
  array: Arrays[K]
  length: number
}

export function allocate<K extends Kind>(kind: K, capacity: number): Arrays[K] {
  const create = arrayOf[kind] as unknown as new (buffer: SharedArrayBuffer) => Arrays[K]
  return new create(new SharedArrayBuffer(capacity * arrayOf[kind].BYTES_PER_ELEMENT))
}

const smallest = 16
/** Small columns double; big ones grow by a quarter, so that little memory is unused. */
const growth = (length: number) => (length < 65_536 ? length * 2 : Math.ceil(length * 1.25))

/**
 * A growing array of numbers in shared memory. One thread writes. Growing moves the values to new memory, so a reader
 * that holds the older `array` keeps a consistent prefix.
 */
export class Column<K extends Kind> {
  readonly kind: K
  array: Arrays[K]
  length: number

  constructor({ kind, array, length }: ColumnState<K>) {
    this.kind = kind
    this.array = array
    this.length = length
  }

  push(value: number): number {
    this.reserve(this.length + 1)
    this.array[this.length] = value
    return this.length++
  }

  /** Adds `count` zeros; returns their start. */
  extend(count: number): number {
    this.reserve(this.length + count)
    this.length += count
    return this.length - count
  }

  reserve(length: number): void {
    if (length <= this.array.length) return
    const grown = allocate(this.kind, Math.max(smallest, length, growth(this.array.length)))
    grown.set(this.array.subarray(0, this.length))
    this.array = grown
  }

  /** Copies the values to new memory: readers that hold the older `array` do not see what changes. Returns the bytes of the older one. */
  detach(): number {
    const copy = allocate(this.kind, this.array.length)
    copy.set(this.array.subarray(0, this.length))
    this.array = copy
    return copy.byteLength
  }

  /** Replaces the content by `capacity` zeros in new memory. */
  reset(capacity: number): void {
    this.array = allocate(this.kind, capacity)
    this.length = capacity
  }
}

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

/** Where one of several begins, by where each ends. */
export const startOf = (ends: Uint32Array, number: number): number => (number === 0 ? 0 : (ends[number - 1] ?? 0))

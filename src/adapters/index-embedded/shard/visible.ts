import { LRUCache } from 'lru-cache'
import { mayRead, planes } from '../../../model/unit.ts'
import type { IndexFilter, TextPhrases } from '../../../ports/indexes/index-filter.ts'
import { keepPhrases } from '../text/rows-with-phrases.ts'
import { type Field, type FieldName, fieldOver, isLong, passageLengths } from '../text/text-columns.ts'
import { WordPlaces } from '../text/word-places.ts'
import { kept, rowsMeeting } from './row-filter.ts'
import type { Shard } from './shard.ts'

/** Cached filters per shard: for a few readers, each with the reader's visibility and, for counts, without it. */
const maxFilters = 8
/** Tokens that all filters of a shard keep sorted, beside those of the latest one. Limits the memory: 6 bytes each. */
const maxSortedTokens = 2 ** 21

/** The rows that each filter lets through, computed once for all its searches until the shard changes. */
export class VisibleCache {
  readonly #byShard = new WeakMap<Shard, { changes: number; byFilter: LRUCache<string, Visible> }>()

  of(shard: Shard, filter: IndexFilter): Visible {
    let known = this.#byShard.get(shard)
    if (known?.changes !== shard.changes) {
      known = { changes: shard.changes, byFilter: new LRUCache({ max: maxFilters }) }
      this.#byShard.set(shard, known)
    }
    const { byFilter } = known
    const clauses = filter.clauses.map(({ reader, scopeIds }) => [reader, [...scopeIds]])
    const key = JSON.stringify([clauses, filter.filters])
    const visible = byFilter.get(key) ?? Visible.of(shard, filter)
    byFilter.set(key, visible)
    // The least recently used first.
    limitSorted([...byFilter.rvalues()].filter((one) => one !== undefined))
    // Hardly asked for again, so it is not kept.
    return filter.phrases === undefined ? visible : visible.with(filter.phrases)
  }
}

/** Forgets the sorted words of those that come first. */
function limitSorted(all: readonly Visible[]): void {
  let sorted = all.reduce((sum, { sortedTokens }) => sum + sortedTokens, 0)
  for (const visible of all) {
    if (sorted <= maxSortedTokens) return
    sorted -= visible.sortedTokens
    visible.forgetPlaces()
  }
}

const sampleSize = 2048
/** A search has read the words of the rows in the time in which this number of tokens is sorted. */
const tokensPerSearch = 2 ** 17

/** The rows that a filter lets through, with counts that later searches reuse. */
export class Visible {
  /** Ascending. */
  readonly rows: Uint32Array
  /** By row number, 1 for those rows. */
  readonly flags: Uint8Array
  /** Those of the rows that are ranked by their best passage. */
  readonly long: Uint32Array
  readonly #shard: Shard
  readonly #fields = new Map<FieldName, Field>()
  readonly #slots = new Map<string, Slots>()
  #sample: Visible | undefined
  #places: WordPlaces | null = null
  #tokens: number | undefined
  #searches = 0

  constructor(shard: Shard, rows: Uint32Array, flags: Uint8Array) {
    this.#shard = shard
    this.rows = rows
    this.flags = flags
    this.long = rows.filter((row) => isLong(shard.text, row))
  }

  static of(shard: Shard, filter: IndexFilter): Visible {
    const flags = new Uint8Array(shard.rowCount)
    return new Visible(shard, findRows(shard, filter, flags), flags)
  }

  /** Those of the rows that can keep to phrases. */
  with(phrases: TextPhrases): Visible {
    const flags = this.flags.slice()
    keepPhrases(this.#shard.text, flags, phrases)
    const rows = kept(this.rows.slice(), (row) => flags[row] === 1)
    return new Visible(this.#shard, rows, flags)
  }

  field(name: FieldName): Field {
    const field =
      this.#fields.get(name) ?? fieldOver(name, this.rows, passageLengths(this.#shard.text, this.long, name))
    this.#fields.set(name, field)
    return field
  }

  /** At least `sampleSize` of the rows, evenly spread over them; all if there are fewer. */
  get sample(): Visible {
    const step = Math.max(1, Math.floor(this.rows.length / sampleSize))
    this.#sample ??= new Visible(
      this.#shard,
      this.rows.filter((_, i) => i % step === 0),
      this.flags,
    )
    return this.#sample
  }

  /**
   * Where words occur in the rows, once as many searches have asked as it takes to be worth sorting them: the first one
   * finds them read as fast. Null before, and for rows with many words.
   */
  places(): WordPlaces | null {
    this.#tokens ??= WordPlaces.tokensIn(this.#shard.text, this.rows)
    if (this.#searches > 0 && this.#searches * tokensPerSearch >= this.#tokens) {
      this.#places ??= new WordPlaces(this.#shard.text, this.rows, this.#tokens)
    }
    this.#searches += 1
    return this.#places
  }

  /** How many tokens it keeps sorted. */
  get sortedTokens(): number {
    return (this.#places === null ? 0 : (this.#tokens ?? 0)) + (this.#sample?.sortedTokens ?? 0)
  }

  /** Sorted words are made again when they are worth it. */
  forgetPlaces(): void {
    this.#places = null
    this.#searches = 0
    this.#sample?.forgetPlaces()
  }

  /** Those of the rows that have a vector in a matrix and none in certain others. */
  slots(matrix: number, without: readonly number[]): Slots {
    const key = [matrix, ...without].join()
    const slots = this.#slots.get(key) ?? slotsOf(this.#shard, matrix, without, this.rows)
    this.#slots.set(key, slots)
    return slots
  }
}

/** Rows, and the positions of their vectors in a matrix: a row with several is there several times. */
export interface Slots {
  rows: Uint32Array
  slots: Uint32Array
  /** Whether one has several. */
  repeats: boolean
}

/** One pass over the columns: rows that are alive, in an open scope and plane, readable, and match every filter. */
function findRows(shard: Shard, filter: IndexFilter, flags: Uint8Array): Uint32Array {
  const count = flags.length
  const rows = new Uint32Array(count)
  const { deadAt, plane, scope, acl } = shard.rows
  const [deadAts, planesOf, scopesOf, acls] = [deadAt.array, plane.array, scope.array, acl.array]
  const clauseOf = clausesByScope(shard, filter)
  const readable = readableAcls(shard, filter)
  const aclCount = shard.acls.size
  let found = 0
  for (let row = 0; row < count; row++) {
    const died = deadAts[row] ?? 0
    if (died !== 0 && died <= count) continue
    const clause = clauseOf[(scopesOf[row] ?? 0) * planes.length + (planesOf[row] ?? 0)] ?? 0
    if (clause === 0 || readable[(clause - 1) * aclCount + (acls[row] ?? 0)] !== 1) continue
    rows[found++] = row
  }
  const met = rowsMeeting(shard, filter.filters, rows.subarray(0, found)).slice()
  for (let i = 0; i < met.length; i++) flags[met[i] ?? 0] = 1
  return met
}

function slotsOf(shard: Shard, matrix: number, without: readonly number[], rows: Uint32Array): Slots {
  const columns = shard.rows
  const [matrixOf, otherMatrixOf] = [columns.matrix.array, columns.otherMatrix.array]
  const has = (row: number, number: number) => matrixOf[row] === number + 1 || otherMatrixOf[row] === number + 1
  const isUsual = (row: number) => matrixOf[row] === matrix + 1
  const slotIn = (row: number) => (isUsual(row) ? columns.slot : columns.otherSlot).array[row] ?? 0
  const slotsIn = (row: number) => (isUsual(row) ? columns.slots : columns.otherSlots).array[row] ?? 0
  const found = kept(rows.slice(), (row) => has(row, matrix) && !without.some((other) => has(row, other)))
  const count = found.reduce((sum, row) => sum + slotsIn(row), 0)
  const all = { rows: new Uint32Array(count), slots: new Uint32Array(count), repeats: count > found.length }
  let at = 0
  for (const row of found) {
    const first = slotIn(row)
    for (let i = 0; i < slotsIn(row); i++, at++) {
      all.rows[at] = row
      all.slots[at] = first + i
    }
  }
  return all
}

/** By scope and plane, the number of the clause that opens it, from 1; 0 for none. */
function clausesByScope(shard: Shard, { clauses }: IndexFilter): Uint32Array {
  const opening = new Uint32Array(shard.scopes.size * planes.length)
  for (const [number, { scopeIds }] of clauses.entries()) {
    for (const [plane, ids] of scopeIds) {
      for (const id of ids) {
        const scope = shard.scopes.find(id)
        if (scope >= 0) opening[scope * planes.length + planes.indexOf(plane)] = number + 1
      }
    }
  }
  return opening
}

/** By clause and ACL, 1 if the clause's reader may read. */
function readableAcls(shard: Shard, { clauses }: IndexFilter): Uint8Array {
  const acls = Array.from({ length: shard.acls.size }, (_, number) => shard.acl(number))
  const readable = new Uint8Array(clauses.length * acls.length)
  for (const [number, { reader }] of clauses.entries()) {
    for (const [i, acl] of acls.entries()) {
      if (mayRead(reader, acl)) readable[number * acls.length + i] = 1
    }
  }
  return readable
}

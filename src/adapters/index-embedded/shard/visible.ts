import { mayRead } from '../../../model/acl.ts'
import { planes } from '../../../model/unit.ts'
import type { IndexFilter } from '../../../ports/indexes/index-filter.ts'
import { type Field, type FieldName, fieldOver } from '../text/field.ts'
import { isLong, passageLengths } from '../text/pieces.ts'
import { WordPlaces } from '../text/word-places.ts'
import { rowFilter } from './row-filter.ts'
import type { Shard } from './shard.ts'

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
  #sample: Uint32Array | undefined
  #places: WordPlaces | null = null
  #tokens: number | undefined
  #searches = 0

  constructor(shard: Shard, filter: IndexFilter) {
    this.#shard = shard
    this.flags = new Uint8Array(shard.rowCount)
    this.rows = findRows(shard, filter, this.flags)
    this.long = this.rows.filter((row) => isLong(shard.text, row))
  }

  field(name: FieldName): Field {
    const field =
      this.#fields.get(name) ?? fieldOver(name, this.rows, passageLengths(this.#shard.text, this.long, name))
    this.#fields.set(name, field)
    return field
  }

  /** At least `sampleSize` of the rows, evenly spread over them; all if there are fewer. */
  get sample(): Uint32Array {
    const step = Math.max(1, Math.floor(this.rows.length / sampleSize))
    this.#sample ??= this.rows.filter((_, i) => i % step === 0)
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
    return this.#places === null ? 0 : (this.#tokens ?? 0)
  }

  /** Sorted words are made again when they are worth it. */
  forgetPlaces(): void {
    this.#places = null
    this.#searches = 0
  }

  /** Those of the rows that have a vector in a matrix and none in certain others. */
  slots(matrix: number, without: readonly number[]): Slots {
    const key = [matrix, ...without].join()
    const slots = this.#slots.get(key) ?? slotsOf(this.#shard, matrix, without, this.rows)
    this.#slots.set(key, slots)
    return slots
  }
}

/** Rows, and the positions of their vectors in a matrix. */
export interface Slots {
  rows: Uint32Array
  slots: Uint32Array
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
  const passes = rowFilter(shard, filter.filters)
  let found = 0
  for (let row = 0; row < count; row++) {
    const died = deadAts[row] ?? 0
    if (died !== 0 && died <= count) continue
    const clause = clauseOf[(scopesOf[row] ?? 0) * planes.length + (planesOf[row] ?? 0)] ?? 0
    if (clause === 0 || readable[(clause - 1) * aclCount + (acls[row] ?? 0)] !== 1) continue
    if (passes !== null && !passes(row)) continue
    flags[row] = 1
    rows[found++] = row
  }
  return rows.slice(0, found)
}

function slotsOf(shard: Shard, matrix: number, without: readonly number[], rows: Uint32Array): Slots {
  const [matrixOf, slotOf] = [shard.rows.matrix.array, shard.rows.slot.array]
  const [otherMatrixOf, otherSlotOf] = [shard.rows.otherMatrix.array, shard.rows.otherSlot.array]
  const has = (row: number, number: number) => matrixOf[row] === number + 1 || otherMatrixOf[row] === number + 1
  const found = rows.filter((row) => has(row, matrix) && !without.some((other) => has(row, other)))
  const slotIn = (row: number) => (matrixOf[row] === matrix + 1 ? slotOf[row] : otherSlotOf[row]) ?? 0
  return { rows: found, slots: found.map(slotIn) }
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

/** By clause and ACL, 1 if the clause's reader may read and the owner matches the filter. */
function readableAcls(shard: Shard, { clauses, filters }: IndexFilter): Uint8Array {
  const acls = Array.from({ length: shard.acls.size }, (_, number) => shard.acl(number))
  const wanted = acls.map(({ owner }) => filters.aclOwner?.includes(owner) !== false)
  const readable = new Uint8Array(clauses.length * acls.length)
  for (const [number, { reader }] of clauses.entries()) {
    for (const [i, acl] of acls.entries()) {
      if (wanted[i] && mayRead(reader, acl)) readable[number * acls.length + i] = 1
    }
  }
  return readable
}

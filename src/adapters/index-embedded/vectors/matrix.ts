import { type Plane, toUnitVector } from '../../../model/unit.ts'
import type { Column } from '../memory/store.ts'
import { block, RowMemory } from './row-memory.ts'
import { fineSketch, sketch, sketchBytes } from './sketch.ts'

/** A matrix as it is passed to another thread. */
export interface MatrixState {
  plane: Plane
  model: string
  dims: number
  /** 32-bit floats, padded with zeros. */
  vectors: WebAssembly.Memory
  sketches: WebAssembly.Memory
}

/** The vectors of one plane and model, and their sketches, which roughly tell which vectors are near. */
export class Matrix {
  readonly state: MatrixState
  readonly vectors: RowMemory
  readonly sketches: RowMemory
  /** By slot: 1 / the vector's length; 0 for a zero vector, so that its cosine is 0. */
  readonly #inverseNorms: Column<'f64'>
  #distances = new Uint16Array(0)

  /** @param older the same matrix as this thread saw it before */
  constructor(state: MatrixState, inverseNorms: Column<'f64'>, older?: Matrix) {
    // Each message brings other objects for the same memories; kernels use the first ones.
    this.state = older?.state ?? state
    this.vectors = older?.vectors ?? new RowMemory(state.vectors, strideOf(state.dims))
    this.sketches = older?.sketches ?? new RowMemory(state.sketches, sketchBytes(state.dims))
    this.#inverseNorms = inverseNorms
  }

  get slots(): number {
    return this.#inverseNorms.length
  }

  get sketchBits(): number {
    return 8 * this.sketches.stride
  }

  get bytes(): number {
    return this.vectors.buffer.byteLength + this.sketches.buffer.byteLength
  }

  /** Fills the next slot. */
  push(values: Float32Array): number {
    const at = this.vectors.reserve(this.slots)
    new Float32Array(this.vectors.buffer, at, values.length).set(values)
    const sketchAt = this.sketches.reserve(this.slots)
    new Uint8Array(this.sketches.buffer, sketchAt, this.sketches.stride).set(sketch(values))
    return this.#inverseNorms.push(inverseNorm(values, values.length))
  }

  vector(slot: number): Float32Array {
    const { buffer, base, stride } = this.vectors
    return new Float32Array(buffer, base + slot * stride, this.state.dims)
  }

  /**
   * Cosine similarity of the query with each slot, in the order of `slots`; ascending slots are the fastest.
   *
   * @param thread below `maxThreads`; no two calls may use the same one at the same time
   * @throws RangeError for a query that is not finite or of another length
   */
  cosines(thread: number, query: Float32Array, slots: Uint32Array): Float64Array {
    const scale = inverseNorm(query, this.state.dims)
    const { vectors } = this
    const at = vectors.scratch(thread)
    const lane = new Float32Array(vectors.buffer, at.query, vectors.stride / 4)
    lane.fill(0)
    lane.set(query)
    const norms = this.#inverseNorms.array
    const cosines = new Float64Array(slots.length)
    const dots = new Float32Array(vectors.buffer, at.out, block)
    for (let start = 0; start < slots.length; start += block) {
      const part = slots.subarray(start, start + block)
      new Uint32Array(vectors.buffer, at.slots, block).set(part)
      vectors.kernel.dots(at.query, vectors.base, vectors.stride, vectors.stride / 16, at.slots, part.length, at.out)
      for (let i = 0; i < part.length; i++) {
        const cosine = (dots[i] ?? 0) * scale * (norms[part[i] ?? 0] ?? 0)
        // Rounding may move the cosine of parallel vectors slightly beyond 1.
        cosines[start + i] = Math.max(-1, Math.min(1, cosine))
      }
    }
    return cosines
  }

  /** The slots that are likely the nearest, by sketches: positions in `slots`, ascending, about `limit` of them. */
  likelyNearest(thread: number, query: Float32Array, slots: Uint32Array, limit: number): Uint32Array {
    const distances = this.distances(thread, [sketch(query)], slots)
    const counts = countsWithin(distances, this.sketchBits)
    const max = counts.findIndex((count) => count >= Math.min(limit, slots.length))
    return this.within(thread, distances, max, counts[max] ?? 0)
  }

  /**
   * How many bits differ between sketches of the query and that of each slot, in the order of `slots`: plane j of them counts 2^j
   * times. Valid until the next call.
   */
  distances(thread: number, planes: readonly Uint8Array[], slots: Uint32Array): Uint16Array {
    const { buffer, stride } = this.sketches
    const at = this.sketches.scratch(thread)
    const [wanted, measured] = [new Uint8Array(buffer, at.query, stride), new Uint16Array(buffer, at.out, block)]
    if (this.#distances.length < slots.length) this.#distances = new Uint16Array(slots.length)
    const distances = this.#distances.subarray(0, slots.length)
    for (let start = 0; start < slots.length; start += block) {
      const count = Math.min(block, slots.length - start)
      for (const [j, plane] of planes.entries()) {
        wanted.set(plane)
        this.#measure(thread, slots, start, count)
        if (j === 0) distances.set(measured.subarray(0, count), start)
        for (let i = 0; j > 0 && i < count; i++)
          distances[start + i] = (distances[start + i] ?? 0) + ((measured[i] ?? 0) << j)
      }
    }
    return distances
  }

  /** The positions of distances of at most `max`, ascending. `limit`: no less than there are. */
  within(thread: number, distances: Uint16Array, max: number, limit: number): Uint32Array {
    const { kernel, buffer } = this.sketches
    const at = this.sketches.scratch(thread)
    const places = new Uint32Array(limit)
    let found = 0
    for (let start = 0; start < distances.length; start += block) {
      const part = distances.subarray(start, start + block)
      new Uint16Array(buffer, at.out, block).set(part)
      const near = kernel.within(at.out, part.length, max, start, at.slots)
      places.set(new Uint32Array(buffer, at.slots, near), found)
      found += near
    }
    return places.subarray(0, found)
  }

  /** Writes to the thread's output (u16) how many bits of the query's sketch differ from those of at most `block` slots. */
  #measure(thread: number, slots: Uint32Array, start: number, count: number): void {
    const { kernel, buffer, base, stride } = this.sketches
    const at = this.sketches.scratch(thread)
    const isAll = slots.length === this.slots
    if (!isAll) new Uint32Array(buffer, at.slots, block).set(slots.subarray(start, start + count))
    const first = isAll ? base + start * stride : base
    kernel.hamming(at.query, first, stride / 16, isAll ? 0 : at.slots, count, at.out)
  }
}

const strideOf = (dims: number) => Math.ceil(dims / 4) * 16

export function newMatrix(plane: Plane, model: string, dims: number): MatrixState {
  const [vectors, sketches] = [RowMemory.allocate(strideOf(dims)), RowMemory.allocate(sketchBytes(dims))]
  return { plane, model, dims, vectors, sketches }
}

/** Cosines are computed from float32 products: a vector of another length by this factor is scaled to length 1 first. */
const farFromUnit = 2 ** 40

/** The vector, or one of the same direction, whose products with others neither overflow nor vanish. */
export function comparable(vector: Float32Array): Float32Array {
  const norm = inverseNorm(vector, vector.length)
  return norm * farFromUnit < 1 || norm > farFromUnit ? (toUnitVector(vector) ?? vector) : vector
}

/** @throws RangeError for a vector that is not finite or not of `dims` dimensions */
function inverseNorm(vector: Float32Array, dims: number): number {
  if (vector.length !== dims) {
    throw new RangeError(`vectors of ${vector.length} and ${dims} dimensions are not comparable`)
  }
  let squared = 0
  for (const value of vector) squared += value * value
  if (!Number.isFinite(squared)) throw new RangeError('a vector component is not a finite number')
  return squared === 0 ? 0 : 1 / Math.sqrt(squared)
}

/** From this many rows per wanted one on, sketches select the vectors to compare. */
const manyPerFound = 80
/** How many rows are compared first, for each wanted one. They tell how near the nearest are at least. */
const firstPerWanted = 2
/** Each of the nearest is missed with a probability of at most e^-6, by a bound that is far above what happens. */
const certainty = 6
/** The same by finer sketches, which leave few: e^-10. */
const fineCertainty = 10
/** If a larger share is left, comparing all rows in their order is as fast. */
const maxShare = 0.3

/**
 * Positions in `slots`, ascending, that leave out only rows whose sketches show that they are not among the `limit` nearest
 * to the query. Null if too many are left, or there are few.
 *
 * A bit differs between two sketches with the probability angle / pi. A row as near as the last of the best that are
 * known already thus differs in few more bits than its share of them (Bernstein's inequality). Of what is left, a finer sketch
 * of the query tells more.
 */
export function possiblyNearest(
  matrix: Matrix,
  thread: number,
  query: Float32Array,
  slots: Uint32Array,
  limit: number,
): Uint32Array | null {
  if (slots.length < manyPerFound * limit) return null
  const bits = matrix.sketchBits
  const distances = matrix.distances(thread, [sketch(query)], slots)
  const within = countsWithin(distances, bits)
  const first = within.findIndex((count) => count >= firstPerWanted * limit)
  const nearFirst = matrix.within(thread, distances, first, within[first] ?? 0)
  const known = matrix.cosines(thread, query, picked(slots, nearFirst))
  const nearest = known.sort()[known.length - limit] ?? -1
  const max = maxDistance(bits, nearest)
  if (max <= first) return nearFirst
  const places = matrix.within(thread, distances, max, within[max] ?? slots.length)
  const left = nearest > 0 ? picked(places, finelyNear(matrix, thread, query, picked(slots, places), nearest)) : places
  return left.length > maxShare * slots.length ? null : left
}

/** Positions in `slots` of those whose sketches may belong to a cosine this high, by a finer sketch of the query. */
function finelyNear(matrix: Matrix, thread: number, query: Float32Array, slots: Uint32Array, cosine: number) {
  const { planes, step } = fineSketch(query)
  const distances = matrix.distances(thread, planes, slots)
  const max = maxFineDistance(matrix.sketchBits, cosine, planes.length, step)
  return matrix.within(thread, distances, max, slots.length)
}

/** Those at some places. */
export function picked(from: Uint32Array, places: Uint32Array): Uint32Array {
  const some = new Uint32Array(places.length)
  for (let i = 0; i < places.length; i++) some[i] = from[places[i] ?? 0] ?? 0
  return some
}

/** By distance, how many rows are at most that far. */
function countsWithin(distances: Uint16Array, bits: number): Uint32Array {
  const counts = new Uint32Array(bits + 1)
  for (let i = 0; i < distances.length; i++) counts[distances[i] ?? 0] = (counts[distances[i] ?? 0] ?? 0) + 1
  for (let distance = 1; distance <= bits; distance++) {
    counts[distance] = (counts[distance] ?? 0) + (counts[distance - 1] ?? 0)
  }
  return counts
}

/** In how many bits the sketches of two vectors of at least this cosine differ at most. */
function maxDistance(bits: number, cosine: number): number {
  const share = Math.acos(cosine) / Math.PI
  const third = certainty / 3
  return Math.floor(bits * share + third + Math.sqrt(third ** 2 + 2 * certainty * bits * share * (1 - share)))
}

/**
 * How far apart the fine sketch of a vector and the sketch of another of at least this cosine are at most.
 *
 * The signs of a rotated vector have the cosine c to it, about .8: the mean of its components' sizes, which are distributed normally. To another
 * vector they have c times the cosine of both, and what is random of the rest.
 */
function maxFineDistance(bits: number, cosine: number, planes: number, step: number): number {
  const error = Math.sqrt((2 * fineCertainty) / bits)
  const c = Math.sqrt(2 / Math.PI) - error * Math.sqrt(1 - 3 / Math.PI)
  const lowest = c * cosine - error * Math.sqrt((1 - cosine ** 2) * (1 - c ** 2) + step ** 2 / 12)
  return Math.ceil((bits * (2 ** planes - 1 - (2 * lowest) / step)) / 2)
}

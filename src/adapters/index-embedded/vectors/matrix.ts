import { randomUUID } from 'node:crypto'
import type { Plane } from '../../../model/unit.ts'
import { createKernel, createMemory, type Kernel } from '../kernel/kernel.ts'
import type { Column } from '../memory/column.ts'

/** A matrix as it is handed to another thread. */
export interface MatrixState {
  /** Names the memory, so that a thread keeps its kernel over it. */
  id: string
  plane: Plane
  model: string
  dims: number
  memory: WebAssembly.Memory
}

/** Threads that may compare at the same time, each in scratch space of its own. */
export const mostThreads = 8
/** How many vectors one call of the kernel compares; sizes the scratch space. */
const block = 2048
const pageBytes = 65_536

/**
 * The vectors of one plane and model, as 32-bit floats in a WebAssembly memory that all threads share, behind their
 * scratch space. A slot, once filled, never changes. Memory never shrinks: it is freed with the matrix.
 */
export class Matrix {
  readonly state: MatrixState
  /** By slot: 1 / the vector's length; 0 for a zero vector, whose cosine thereby is 0. */
  readonly #inverseNorms: Column<'f64'>
  readonly #kernel: Kernel
  /** Bytes of a vector: a whole number of SIMD lanes. */
  readonly #stride: number
  readonly #scratchBytes: number

  /** @param older the same matrix as this thread saw it before */
  constructor(state: MatrixState, inverseNorms: Column<'f64'>, older?: Matrix) {
    const known = older?.state.id === state.id ? older : undefined
    this.state = known?.state ?? state
    this.#inverseNorms = inverseNorms
    this.#kernel = known ? known.#kernel : createKernel(state.memory)
    this.#stride = strideOf(state.dims)
    this.#scratchBytes = scratchBytesOf(state.dims)
  }

  get slots(): number {
    return this.#inverseNorms.length
  }

  get bytes(): number {
    return this.#buffer.byteLength
  }

  /** Fills the next slot; `norm` is the vector's inverse one. */
  push(values: Float32Array, norm: number): number {
    const end = this.#base + (this.slots + 1) * this.#stride
    const missing = end - this.#buffer.byteLength
    if (missing > 0) this.state.memory.grow(Math.ceil(Math.max(missing, this.#buffer.byteLength / 8) / pageBytes))
    new Float32Array(this.#buffer, end - this.#stride, values.length).set(values)
    return this.#inverseNorms.push(norm)
  }

  vector(slot: number): Float32Array {
    return new Float32Array(this.#buffer, this.#base + slot * this.#stride, this.state.dims)
  }

  /** The bytes of the first `slots` vectors; room is made for them. */
  rows(slots: number): Uint8Array<SharedArrayBuffer> {
    const missing = this.#base + slots * this.#stride - this.#buffer.byteLength
    if (missing > 0) this.state.memory.grow(Math.ceil(missing / pageBytes))
    return new Uint8Array(this.#buffer, this.#base, slots * this.#stride)
  }

  /**
   * Cosine similarity of the query with each slot, in the order of `slots`.
   *
   * @param thread below `mostThreads`; no two calls at a time may give the same
   * @throws RangeError for a query that is not finite or of another length
   */
  cosines(thread: number, query: Float32Array, slots: Uint32Array): Float64Array {
    const scale = inverseNorm(query, this.state.dims)
    const at = thread * this.#scratchBytes
    const [slotsAt, dotsAt] = [at + this.#stride, at + this.#stride + 4 * block]
    const lane = new Float32Array(this.#buffer, at, this.#stride / 4)
    lane.fill(0)
    lane.set(query)
    const blockSlots = new Uint32Array(this.#buffer, slotsAt, block)
    const dots = new Float32Array(this.#buffer, dotsAt, block)
    const norms = this.#inverseNorms.array
    const cosines = new Float64Array(slots.length)
    for (let start = 0; start < slots.length; start += block) {
      const part = slots.subarray(start, start + block)
      blockSlots.set(part)
      this.#kernel.dots(at, this.#base, this.#stride, this.#stride / 16, slotsAt, part.length, dotsAt)
      for (let i = 0; i < part.length; i++) {
        const cosine = (dots[i] ?? 0) * scale * (norms[part[i] ?? 0] ?? 0)
        // Rounding may carry parallel vectors a bit past 1.
        cosines[start + i] = Math.max(-1, Math.min(1, cosine))
      }
    }
    return cosines
  }

  get #buffer(): SharedArrayBuffer {
    return this.state.memory.buffer as unknown as SharedArrayBuffer
  }

  get #base(): number {
    return mostThreads * this.#scratchBytes
  }
}

const strideOf = (dims: number) => Math.ceil(dims / 4) * 16
const scratchBytesOf = (dims: number) => strideOf(dims) + 8 * block

export function newMatrix(plane: Plane, model: string, dims: number): MatrixState {
  const memory = createMemory(Math.ceil((mostThreads * scratchBytesOf(dims)) / pageBytes))
  return { id: randomUUID(), plane, model, dims, memory }
}

/** @throws RangeError for a vector that is not finite or not of `dims` dimensions */
export function inverseNorm(vector: Float32Array, dims: number): number {
  if (vector.length !== dims) {
    throw new RangeError(`vectors of ${vector.length} and ${dims} dimensions are not comparable`)
  }
  let squared = 0
  for (const value of vector) squared += value * value
  if (!Number.isFinite(squared)) throw new RangeError('a vector component is not a finite number')
  return squared === 0 ? 0 : 1 / Math.sqrt(squared)
}

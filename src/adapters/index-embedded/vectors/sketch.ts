import { createKernel, createMemory } from '../kernel/kernel.ts'

/** Bits of a sketch: a power of two, so that it fills whole SIMD lanes. */
const bitsFor = (dims: number) => Math.max(128, 2 ** Math.ceil(Math.log2(dims)))
export const sketchBytes = (dims: number): number => bitsFor(dims) / 8

/**
 * The signs of a vector after a random rotation (SimHash, Charikar 2002), so that the share of differing bits of two
 * sketches estimates their angle. The rotation applies fixed random signs and the Walsh-Hadamard transform, twice: it
 * spreads the content of a few dimensions over all bits. The result is valid until the next call.
 */
export function sketch(vector: Float32Array): Uint8Array {
  const { values, packed, run } = sketcherOf(bitsFor(vector.length))
  values.set(vector)
  values.fill(0, vector.length)
  run()
  return packed
}

/** How much finer than a sketch `fineSketch` is: this number of bits for each of its bits. */
const planeCount = 3
const levels = 2 ** planeCount

/**
 * The components of a rotated vector other than 0 in a few bits each, plane by plane from the lowest; the highest plane is the sketch. Distances
 * to them, weighted by powers of two, estimate an angle twice as well. `step`: the width of a level, for components with a variance of 1.
 */
export function fineSketch(vector: Float32Array): { planes: Uint8Array[]; step: number } {
  sketch(vector)
  const { values } = sketcherOf(bitsFor(vector.length))
  const planes = Array.from({ length: planeCount }, () => new Uint8Array(values.length / 8))
  let [largest, squared] = [0, 0]
  for (const value of values) {
    largest = Math.max(largest, Math.abs(value))
    squared += value * value
  }
  for (const [i, value] of values.entries()) {
    // Like the sketch, the highest bit is 1 only above 0.
    const level = Math.max(0, Math.ceil((1 + value / largest) * (levels / 2)) - 1)
    for (const [j, plane] of planes.entries()) plane[i >> 3] = (plane[i >> 3] ?? 0) | (((level >> j) & 1) << (i & 7))
  }
  return { planes, step: (2 * largest) / levels / Math.sqrt(squared / values.length) }
}

const sketchers = new Map<number, ReturnType<typeof createSketcher>>()

function sketcherOf(bits: number) {
  const sketcher = sketchers.get(bits) ?? createSketcher(bits)
  sketchers.set(bits, sketcher)
  return sketcher
}

/** Working memory of one thread for vectors of one length; `run` makes `packed` of `values`. */
function createSketcher(bits: number) {
  const at = { values: 0, signs: 4 * bits, packed: 12 * bits }
  const memory = createMemory(at.packed + bits / 8)
  const kernel = createKernel(memory)
  const buffer = memory.buffer as unknown as SharedArrayBuffer
  new Float32Array(buffer, at.signs, 2 * bits).set(signsOf(bits))
  return {
    values: new Float32Array(buffer, at.values, bits),
    packed: new Uint8Array(buffer, at.packed, bits / 8),
    run: () => kernel.sketch(at.values, at.signs, bits, at.packed),
  }
}

/** Random, but always the same, because sketches are stored. */
function signsOf(bits: number): Float32Array {
  let state = 0x9e3779b9
  return Float32Array.from({ length: 2 * bits }, () => {
    // xorshift32 (Marsaglia 2003)
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state < 0 ? -1 : 1
  })
}

import { createKernel, createMemory } from '../kernel/kernel.ts'

/** Bits of a sketch: a power of two, so that it fills whole SIMD lanes. */
const bitsFor = (dims: number) => Math.max(128, 2 ** Math.ceil(Math.log2(dims)))
export const sketchBytes = (dims: number): number => bitsFor(dims) / 8

/**
 * The signs of a vector after a random rotation (SimHash, Charikar 2002), so that the share of differing bits of two
 * sketches estimates their angle. The rotation applies fixed random signs and the Walsh-Hadamard transform, twice: it
 * spreads the content of a few dimensions over all bits.
 */
export function sketch(vector: Float32Array): Uint8Array {
  const bits = bitsFor(vector.length)
  const { values, signs, transform } = rotationOf(bits)
  values.set(vector)
  values.fill(0, vector.length)
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < bits; i++) values[i] = (values[i] ?? 0) * (signs[round * bits + i] ?? 0)
    transform()
  }
  const packed = new Uint8Array(bits / 8)
  for (let i = 0; i < bits; i++) if ((values[i] ?? 0) > 0) packed[i >> 3] = (packed[i >> 3] ?? 0) | (1 << (i & 7))
  return packed
}

/** Working memory of one thread for vectors of one length. */
interface Rotation {
  values: Float32Array
  signs: Float32Array
  /** Transforms `values`. */
  transform(): void
}

const rotations = new Map<number, Rotation>()
const pageBytes = 65_536

function rotationOf(bits: number): Rotation {
  const known = rotations.get(bits)
  if (known !== undefined) return known
  const memory = createMemory(Math.ceil((4 * bits) / pageBytes))
  const kernel = createKernel(memory)
  const values = new Float32Array(memory.buffer as unknown as SharedArrayBuffer, 0, bits)
  const made = { values, signs: signsOf(bits), transform: () => kernel.transform(0, bits) }
  rotations.set(bits, made)
  return made
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

/** Bits of a sketch: a power of two, so that it fills whole SIMD lanes. */
const bitsFor = (dims: number) => Math.max(128, 2 ** Math.ceil(Math.log2(dims)))
export const sketchBytes = (dims: number): number => bitsFor(dims) / 8

const signsByLength = new Map<number, Float32Array>()

/**
 * The signs of a vector after a random rotation (SimHash, Charikar 2002), so that the share of differing bits of two
 * sketches estimates their angle. The rotation applies fixed random signs and the Walsh-Hadamard transform, twice: it
 * spreads the content of a few dimensions over all bits.
 */
export function sketch(vector: Float32Array): Uint8Array {
  const bits = bitsFor(vector.length)
  const values = new Float32Array(bits)
  values.set(vector)
  const signs = signsOf(bits)
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < bits; i++) values[i] = (values[i] ?? 0) * (signs[round * bits + i] ?? 0)
    transform(values)
  }
  const packed = new Uint8Array(bits / 8)
  for (let i = 0; i < bits; i++) if ((values[i] ?? 0) > 0) packed[i >> 3] = (packed[i >> 3] ?? 0) | (1 << (i & 7))
  return packed
}

/** Fast Walsh-Hadamard transform, in place, not scaled. */
function transform(values: Float32Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += 2 * half) {
      for (let i = start; i < start + half; i++) {
        const [a, b] = [values[i] ?? 0, values[i + half] ?? 0]
        values[i] = a + b
        values[i + half] = a - b
      }
    }
  }
}

/** Random, but always the same, because sketches are stored. */
function signsOf(bits: number): Float32Array {
  const known = signsByLength.get(bits)
  if (known !== undefined) return known
  let state = 0x9e3779b9
  const signs = Float32Array.from({ length: 2 * bits }, () => {
    // xorshift32 (Marsaglia 2003)
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state < 0 ? -1 : 1
  })
  signsByLength.set(bits, signs)
  return signs
}

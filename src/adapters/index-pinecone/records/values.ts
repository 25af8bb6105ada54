import { toUnitVector } from '../../../model/unit-vector.ts'

/**
 * A vector as Pinecone takes it: scaled to length 1, because Pinecone refuses values that are all below 1e-8, and
 * padded with zeros to the size of the index. Neither changes a cosine. Null for a vector without a direction.
 */
export function valuesOf(vector: Float32Array, dims: number): number[] | null {
  const unit = toUnitVector(vector)
  if (unit === null) return null
  const values = new Array<number>(dims).fill(0)
  // Eight decimals keep a cosine exact to six, and requests small.
  for (const [i, value] of unit.entries()) values[i] = Math.round(value * 1e8) / 1e8
  return values
}

/** The vector of a Unit that has none; no search uses its model. */
export const placeholder = (dims: number): number[] => [1, ...new Array<number>(dims - 1).fill(0)]

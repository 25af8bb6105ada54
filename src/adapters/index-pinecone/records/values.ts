/**
 * A vector as Pinecone takes it: scaled to length 1, because Pinecone refuses values that are all below 1e-8, and
 * padded with zeros to the size of the index. Neither changes a cosine. Null for a vector without a direction.
 */
export function valuesOf(vector: Float32Array, dims: number): number[] | null {
  let squares = 0
  for (const value of vector) squares += value * value
  const length = Math.sqrt(squares)
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return null
  const values = new Array<number>(dims).fill(0)
  // Eight decimals keep a cosine exact to six, and requests small.
  for (let i = 0; i < vector.length; i++) values[i] = Math.round(((vector[i] ?? 0) / length) * 1e8) / 1e8
  return values
}

/** The vector of a Unit that has none; no search uses its model. */
export const placeholder = (dims: number): number[] => [1, ...new Array<number>(dims - 1).fill(0)]

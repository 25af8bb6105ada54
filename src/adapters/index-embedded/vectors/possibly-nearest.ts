import type { Matrix } from './matrix.ts'

/** How many rows are compared first, for each wanted one. They tell how near the nearest are at least. */
const firstPerWanted = 2
/** Each of the nearest is missed with a probability of at most e^-6, by a bound that is far above what happens. */
const certainty = 6
/** If a larger share is left, comparing all rows in their order is as fast. */
const maxShare = 0.3

/**
 * Positions in `slots`, ascending, that leave out only rows whose sketches show that they are not among the `limit` nearest
 * to the query. Null if too many are left.
 *
 * A bit differs between two sketches with the probability angle / pi. A row as near as the last of the best that are
 * known already thus differs in few more bits than its share of them (Bernstein's inequality).
 *
 * @param slots at least twice `limit`
 */
export function possiblyNearest(
  matrix: Matrix,
  thread: number,
  query: Float32Array,
  slots: Uint32Array,
  limit: number,
): Uint32Array | null {
  const distances = matrix.distances(thread, query, slots)
  const within = countsWithin(distances, matrix.sketchBits)
  const first = within.findIndex((count) => count >= firstPerWanted * limit)
  const nearFirst = placesWithin(first, within, distances)
  const known = matrix.cosines(
    thread,
    query,
    nearFirst.map((place) => slots[place] ?? 0),
  )
  const max = maxDistance(matrix.sketchBits, known.sort()[known.length - limit] ?? -1)
  if (max <= first) return nearFirst
  return (within[max] ?? slots.length) > maxShare * slots.length ? null : placesWithin(max, within, distances)
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

function placesWithin(max: number, within: Uint32Array, distances: Uint16Array): Uint32Array {
  const places = new Uint32Array(within[max] ?? 0)
  let found = 0
  for (let i = 0; i < distances.length; i++) if ((distances[i] ?? 0) <= max) places[found++] = i
  return places
}

/** In how many bits the sketches of two vectors of at least this cosine differ at most. */
function maxDistance(bits: number, cosine: number): number {
  const share = Math.acos(cosine) / Math.PI
  const third = certainty / 3
  return Math.floor(bits * share + third + Math.sqrt(third ** 2 + 2 * certainty * bits * share * (1 - share)))
}

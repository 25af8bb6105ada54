/** Pseudo-random numbers in [0, 1) from the seeds only: mulberry32 on a hash of them. */
export function randomOf(...seeds: readonly number[]): () => number {
  let state = 0x9e3779b9
  for (const seed of seeds) state = Math.imul(state ^ seed ^ (state >>> 15), 0x85ebca6b) + 0x6d2b79f5
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export const below = (random: () => number, end: number): number => Math.floor(random() * end)

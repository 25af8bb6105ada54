import { countFeatures } from './features.ts'

/**
 * A text as one L2-normalised vector by signed feature hashing (Weinberger et al. 2009): each feature adds its weight to
 * one dimension, with a sign of its own, so that collisions cancel out on average. Null for a text without words.
 */
export function embedText(text: string, dims: number): Float32Array | null {
  const sums = new Float64Array(dims)
  for (const [feature, count] of countFeatures(text)) {
    const hash = hash32(feature)
    const dimension = (hash >>> 1) % dims
    const sign = hash & 1 ? 1 : -1
    sums[dimension] = (sums[dimension] ?? 0) + sign * (1 + Math.log(count))
  }
  const norm = Math.hypot(...sums)
  return norm === 0 ? null : Float32Array.from(sums, (sum) => sum / norm)
}

/** FNV-1a over UTF-16 units, then the finaliser of MurmurHash3, which spreads it to the low bits. */
function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

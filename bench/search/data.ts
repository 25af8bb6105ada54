import { below, randomOf } from './random.ts'
import { topicalWord, zipfWord } from './words.ts'

export const dimensions = 384
const unitsPerCluster = 100
const clustersPerTopic = 20
/** The distance of a cluster from its topic, and of a Unit from its cluster, relative to the centre's length. */
const spread = { cluster: 1, unit: 0.8 }
const teams = 50

const stream = { topic: 10, cluster: 11, unit: 12, text: 13, team: 14, group: 15, query: 16 }

export interface Query {
  text: string
  vector: Float32Array
}

/**
 * Synthetic Units. Topics contain clusters, and clusters contain Units, both in vectors and in words. Each run makes
 * the same data.
 */
export interface Dataset {
  size: number
  /** All vectors in sequence, each of length 1 (except for rounding). */
  vectors: Float32Array
  vector(unit: number): Float32Array
  text(unit: number): string
  groups(unit: number): string[]
  queries: readonly Query[]
  selectivities: readonly number[]
}

/** The group that may read this share of all Units, e.g. `g2` for 0.02. */
export const groupOf = (selectivity: number): string => `g${Number((selectivity * 100).toPrecision(3))}`

/** Whether the group of this selectivity may read a Unit: a random draw, independent of clusters. */
export const isReadable = (selectivity: number, unit: number): boolean =>
  randomOf(stream.group, Math.round(selectivity * 1e6), unit)() < selectivity

export function makeDataset(size: number, queryCount: number, selectivities: readonly number[]): Dataset {
  const clusters = Math.ceil(size / unitsPerCluster)
  const centres = Array.from({ length: clusters }, (_, cluster) => {
    const topic = direction(randomOf(stream.topic, Math.floor(cluster / clustersPerTopic)))
    return around(topic, spread.cluster, randomOf(stream.cluster, cluster))
  })
  const near = (cluster: number, random: () => number) => around(centres[cluster] ?? [], spread.unit, random)
  const clusterOf = (unit: number) => unit % clusters
  const vectors = new Float32Array(size * dimensions)
  for (let unit = 0; unit < size; unit++) {
    vectors.set(near(clusterOf(unit), randomOf(stream.unit, unit)), unit * dimensions)
  }
  return {
    size,
    vectors,
    selectivities,
    vector: (unit) => vectors.subarray(unit * dimensions, (unit + 1) * dimensions),
    text: (unit) => words(clusterOf(unit), 30, 10, randomOf(stream.text, unit)),
    groups: (unit) => [
      `team-${below(randomOf(stream.team, unit), teams)}`,
      ...selectivities.filter((selectivity) => isReadable(selectivity, unit)).map(groupOf),
    ],
    queries: Array.from({ length: queryCount }, (_, i) => {
      const random = randomOf(stream.query, i)
      const cluster = below(random, clusters)
      return { text: words(cluster, 2, 2, random), vector: Float32Array.from(near(cluster, random)) }
    }),
  }
}

function words(cluster: number, common: number, topical: number, random: () => number): string {
  const all = Array.from({ length: common + topical }, (_, i) =>
    i < common ? zipfWord(random) : topicalWord(cluster, random),
  )
  return all.join(' ')
}

function direction(random: () => number): number[] {
  return unitLength(Array.from({ length: dimensions }, () => random() * 2 - 1))
}

function around(centre: readonly number[], distance: number, random: () => number): number[] {
  const offset = direction(random)
  return unitLength(centre.map((x, d) => x + distance * (offset[d] ?? 0)))
}

/** Six decimals: the numbers are equal as JSON, as text and as floats. */
function unitLength(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector)
  return vector.map((x) => round(x / length))
}

const round = (x: number): number => Math.round(x * 1e6) / 1e6

/** `[0.012345,…]`, a format of both JSON and pgvector. */
export const vectorText = (vector: Float32Array): string => `[${Array.from(vector, round).join(',')}]`

/** Little-endian float32 values. */
export const vectorBase64 = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

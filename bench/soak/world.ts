import { createChance } from '../../test/durability/load.ts'
import type { Client } from './client.ts'

/** A place for a live Unit: there are as many as live Units, and each always has one. */
interface Slot {
  externalId: string
  unitId: string
}

/** What the load knows of the service's content. */
export interface World {
  slots: Slot[]
  documents: string[]
  /** Rows that stay by contract: stubs of purged Units, and answers of writes with an Idempotency-Key for a day. */
  stubs: number
  keptAnswers: number
  /** A whole number from 0 to below `below`; the same sequence for the same seed. */
  chance(below: number): number
  /** A number that was not returned before. */
  next(): number
}

/** Written once in a run, so that a word of a text is rare enough to be searched for. */
const words = 'anchor ballast capstan dredger estuary fender gangway hawser inlet jetty keelson lighter mooring'.split(
  ' ',
)

const ownDims = 32

export function createWorld(seed: number): World {
  let last = 0
  const next = () => {
    last += 1
    return last
  }
  return { slots: [], documents: [], stubs: 0, keptAnswers: 0, chance: createChance(seed), next }
}

export const wordsOf = ({ chance }: World, count: number): string =>
  Array.from({ length: count }, () => `${words[chance(words.length)]}${chance(40)}`).join(' ')

/** Half of the Units have a vector of their own, the others one of the service: an update may change the model. */
function unitOf(world: World, externalId: string): object {
  const vector = () => Array.from({ length: ownDims }, () => world.chance(1000) / 1000 + 0.001)
  return {
    scope: 'soak',
    external_id: externalId,
    doc_id: `doc-${world.chance(200)}`,
    text: `Entry ${world.next()}: ${wordsOf(world, 30)}`,
    ...(world.chance(2) === 0 ? { vector: vector() } : {}),
  }
}

/** Writes Units with these external ids; resolves with their ids. */
export async function ingest(client: Client, world: World, externalIds: readonly string[], headers = {}) {
  const units = externalIds.map((externalId) => unitOf(world, externalId))
  const { body } = await client.send('POST', '/v1/ingest', { units }, headers)
  return body.units.map(({ unit_id }: { unit_id: string }) => unit_id) as string[]
}

/** Makes the live Units, in batches. */
export async function fill(client: Client, world: World, count: number): Promise<void> {
  while (world.slots.length < count) {
    const externalIds = Array.from({ length: Math.min(200, count - world.slots.length) }, () => `unit-${world.next()}`)
    const ids = await ingest(client, world, externalIds)
    world.slots.push(...externalIds.map((externalId, i) => ({ externalId, unitId: ids[i] ?? '' })))
  }
}

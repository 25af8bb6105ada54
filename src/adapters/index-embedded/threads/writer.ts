import type { Handlers } from '../../../async/calls.ts'
import { planes } from '../../../model/unit.ts'
import type { IndexChange, PlaneContent } from '../../../ports/indexes/index-filter.ts'
import { changeReaders, compact, type LeftOut, putUnit, removeUnit, seqHeld, seqOfRow } from '../shard/put-unit.ts'
import { contentOf, Shard } from '../shard/shard.ts'
import { readSnapshot, removeSnapshot, writeSnapshot } from '../shard/snapshot.ts'
import { type Applied, type Calls, type Published, seqOf } from './messages.ts'
import type { Released } from './released.ts'

/** Below this number of rows, dead rows do not matter. */
const fewRows = 64

type WriterCalls = Pick<Handlers<Calls>, 'load' | 'apply' | 'manifest' | 'held' | 'content' | 'save' | 'reset'>

/** Writes the thread's growing shards. Calls for one namespace must not overlap; the host ensures that. */
export function createWriter(
  directory: string,
  shards: Map<string, Shard>,
  shardOf: (namespaceId: string) => Shard,
  released: Released,
): WriterCalls {
  const cursors = new Map<string, number>()

  const publish = (namespaceId: string, shard: Shard, cursor: number): Published => {
    const older = shards.get(namespaceId)
    if (older && older !== shard) released.add(older.bytes)
    shards.set(namespaceId, shard)
    cursors.set(namespaceId, cursor)
    return { cursor, bytes: shard.bytes, state: shard.state }
  }

  return {
    load: async ({ namespaceId }) => {
      const { shard, cursor, damage } = await readSnapshot(directory, namespaceId)
      return { ...publish(namespaceId, shard, cursor), damage }
    },
    apply: ({ namespaceId, changes, place }) => {
      const shard = shardOf(namespaceId)
      const cursor = cursors.get(namespaceId) ?? 0
      if (place !== null && cursor < place.after) return null
      const partial: Applied['partial'] = []
      const due = changes.filter(
        (change) => (place === null || seqOf(change) > cursor) && seqHeld(shard, unitOf(change)) <= seqOf(change),
      )
      for (const change of due) {
        const without = take(shard, change)
        if (without.length > 0) partial.push({ unitId: unitOf(change), without })
      }
      const ofReaders = due.filter((change) => change.kind === 'readers')
      released.add(changeReaders(shard, ofReaders))
      // Publishes last, so that a batch that fails halfway is delivered again.
      const grown = mostlyDead(shard) ? compact(shard) : shard
      return { ...publish(namespaceId, grown, Math.max(cursor, place?.upTo ?? 0)), partial }
    },
    manifest: ({ namespaceId, plane }) => shardOf(namespaceId).manifest(planes.indexOf(plane)),
    held: ({ namespaceId, unitIds }) => {
      const shard = shardOf(namespaceId)
      return Float64Array.from(unitIds.split('\0'), (unitId) => seqOfRow(shard, unitId))
    },
    content: () => {
      const all = [...shards.values()].map(contentOf)
      const sum = (i: number, of: keyof PlaneContent) => all.reduce((sum, content) => sum + (content[i]?.[of] ?? 0), 0)
      return new Map(planes.map((plane, i) => [plane, { units: sum(i, 'units'), bytes: sum(i, 'bytes') }]))
    },
    save: async ({ namespaceId }) => {
      const held = shardOf(namespaceId)
      const shard = holdsMoreThanLives(held) ? compact(held) : held
      const cursor = cursors.get(namespaceId) ?? 0
      await writeSnapshot(directory, namespaceId, shard, cursor)
      return publish(namespaceId, shard, cursor)
    },
    reset: async ({ namespaceId }) => {
      await removeSnapshot(directory, namespaceId)
      return publish(namespaceId, new Shard(), 0)
    },
  }
}

function take(shard: Shard, change: IndexChange): LeftOut[] {
  if (change.kind === 'put') return putUnit(shard, change.unit)
  if (change.kind === 'remove') removeUnit(shard, change.unitId, change.seq)
  return []
}

const mostlyDead = (shard: Shard) => shard.rowCount > fewRows && 2 * shard.deadRows > shard.rowCount

/** Dead rows, or ids of removed Units that never had a row. */
const holdsMoreThanLives = (shard: Shard) => shard.deadRows > 0 || shard.unitIds.size > shard.rowCount

const unitOf = (change: IndexChange): string => (change.kind === 'put' ? change.unit : change).unitId

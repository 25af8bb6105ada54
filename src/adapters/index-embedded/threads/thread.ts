import { workerData } from 'node:worker_threads'
import { answerCalls } from '../../../async/calls.ts'
import { Contests } from '../search/contest.ts'
import { TextScratch } from '../search/rank-text.ts'
import { searchText, searchVectors } from '../search/search.ts'
import { countFacets, readValues } from '../shard/fields-of-units.ts'
import { Shard } from '../shard/shard.ts'
import { VisibleCache } from '../shard/visible.ts'
import type { Calls, ThreadOptions } from './messages.ts'
import { Released } from './released.ts'
import { createWriter } from './writer.ts'

// One of the search threads. Shards are in shared memory: the first thread writes them, all of them read.

const { thread, directory }: ThreadOptions = workerData
const releasedBytes = 16 * 2 ** 20
const attached = new Map<string, Shard>()
const released = new Released(releasedBytes)
const contests = new Contests()
const scratch = { thread, text: new TextScratch(), visible: new VisibleCache() }

function shardOf(namespaceId: string): Shard {
  const shard = attached.get(namespaceId)
  if (shard === undefined) throw new Error(`the namespace ${namespaceId} is not in this thread`)
  return shard
}

answerCalls<Calls>({
  searchText: ({ namespaceId, query, filter, limit }) =>
    contests.enter(query.contest, searchText(shardOf(namespaceId), query, filter, limit, scratch)),
  searchVectors: ({ namespaceId, query, filter, limit }) =>
    contests.enter(query.contest, searchVectors(shardOf(namespaceId), query, filter, limit, scratch)),
  countFacets: ({ namespaceId, among, question }) => countFacets(shardOf(namespaceId), among, question),
  readValues: ({ namespaceId, among, question }) => readValues(shardOf(namespaceId), among, question),
  attach: ({ namespaceId, state }) => {
    const older = attached.get(namespaceId)
    const shard = new Shard(state, older)
    attached.set(namespaceId, shard)
    if (older && older.id !== shard.id) released.add(older.bytes)
    return undefined
  },
  forget: ({ namespaceId }) => {
    released.add(attached.get(namespaceId)?.bytes ?? 0)
    attached.delete(namespaceId)
    return undefined
  },
  ...createWriter(directory, attached, shardOf, released),
})

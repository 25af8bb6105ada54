import { parentPort, workerData } from 'node:worker_threads'
import { TextScratch } from '../search/rank-text.ts'
import { searchText, searchVectors } from '../search/search.ts'
import { Shard } from '../shard/shard.ts'
import { VisibleCache } from '../shard/visible.ts'
import type { CallName, Calls, Reply, Request, ThreadOptions } from './messages.ts'
import { Released } from './released.ts'
import { Writer } from './writer.ts'

// One of the search threads. Shards are in shared memory: the first thread writes them, all of them read.

const { thread, directory }: ThreadOptions = workerData
const releasedBytes = 16 * 2 ** 20
const attached = new Map<string, Shard>()
const released = new Released(releasedBytes)
const writer = new Writer(directory, attached, released)
const scratch = { thread, text: new TextScratch(), visible: new VisibleCache() }

function shardOf(namespaceId: string): Shard {
  const shard = attached.get(namespaceId)
  if (shard === undefined) throw new Error(`the namespace ${namespaceId} is not in this thread`)
  return shard
}

const handlers: { [N in CallName]: (ask: Calls[N]['ask']) => Calls[N]['answer'] | Promise<Calls[N]['answer']> } = {
  searchText: ({ namespaceId, query, filter, limit }) =>
    searchText(shardOf(namespaceId), query, filter, limit, scratch),
  searchVectors: ({ namespaceId, query, filter, limit }) =>
    searchVectors(shardOf(namespaceId), query, filter, limit, scratch),
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
  load: ({ namespaceId }) => writer.load(namespaceId),
  apply: ({ namespaceId, changes, place }) => writer.apply(namespaceId, changes, place),
  manifest: ({ namespaceId, plane }) => writer.manifest(namespaceId, plane),
  content: () => writer.content(),
  save: ({ namespaceId }) => writer.save(namespaceId),
  reset: ({ namespaceId }) => writer.reset(namespaceId),
}

/** Answers immediately all requests that need no waiting, in one post. */
function take(requests: readonly Request[]): void {
  const replies: Reply[] = []
  for (const { id, name, ask } of requests) {
    try {
      const answer = run(name, ask)
      if (answer instanceof Promise) answerLater(id, answer)
      else replies.push({ id, answer })
    } catch (error) {
      replies.push({ id, error })
    }
  }
  if (replies.length > 0) parentPort?.postMessage(replies)
}

function run<N extends CallName>(name: N, ask: Calls[N]['ask']): Calls[N]['answer'] | Promise<Calls[N]['answer']> {
  return handlers[name](ask)
}

function answerLater(id: number, answer: Promise<Calls[CallName]['answer']>): void {
  answer.then(
    (answer) => parentPort?.postMessage([{ id, answer } satisfies Reply]),
    (error: unknown) => parentPort?.postMessage([{ id, error } satisfies Reply]),
  )
}

parentPort?.on('message', take)
// Says that the modules are loaded.
parentPort?.postMessage([])

import { parentPort, workerData } from 'node:worker_threads'
import { searchText, searchVectors } from '../shard/search.ts'
import { Shard } from '../shard/shard.ts'
import { VisibleCache } from '../shard/visible-cache.ts'
import { TextScratch } from '../text/rank-text.ts'
import type { CallName, Calls, Reply, Request, ThreadOptions } from './messages.ts'
import { Writer } from './writer.ts'

// One of the threads that search. Shards live in shared memory: the first thread writes them, all of them read.

const { thread, directory }: ThreadOptions = workerData
const attached = new Map<string, Shard>()
const writer = new Writer(directory, attached)
const desk = { thread, text: new TextScratch(), visible: new VisibleCache() }

function shardOf(namespaceId: string): Shard {
  const shard = attached.get(namespaceId)
  if (shard === undefined) throw new Error(`the namespace ${namespaceId} is not in this thread`)
  return shard
}

const handlers: { [N in CallName]: (ask: Calls[N]['ask']) => Calls[N]['answer'] | Promise<Calls[N]['answer']> } = {
  searchText: ({ namespaceId, query, filter, limit }) => searchText(shardOf(namespaceId), query, filter, limit, desk),
  searchVectors: ({ namespaceId, query, filter, limit }) =>
    searchVectors(shardOf(namespaceId), query, filter, limit, desk),
  attach: ({ namespaceId, state }) => {
    attached.set(namespaceId, new Shard(state, attached.get(namespaceId)))
    return undefined
  },
  forget: ({ namespaceId }) => {
    attached.delete(namespaceId)
    return undefined
  },
  load: ({ namespaceId }) => writer.load(namespaceId),
  apply: ({ namespaceId, changes, upTo }) => writer.apply(namespaceId, changes, upTo),
  manifest: ({ namespaceId, plane }) => writer.manifest(namespaceId, plane),
  save: ({ namespaceId }) => writer.save(namespaceId),
  reset: ({ namespaceId }) => writer.reset(namespaceId),
}

async function answer<N extends CallName>(name: N, ask: Calls[N]['ask']): Promise<Calls[N]['answer']> {
  return handlers[name](ask)
}

parentPort?.on('message', ({ id, name, ask }: Request) => {
  const reply = (message: Reply) => parentPort?.postMessage(message)
  answer(name, ask).then(
    (answer) => reply({ id, answer }),
    (error: unknown) => reply({ id, error }),
  )
})

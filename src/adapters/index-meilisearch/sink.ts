import { z } from 'zod'
import type { Log } from '../../model/log.ts'
import type { IndexedUnit, ReadersChange } from '../../ports/indexes/index-filter.ts'
import type { HeldUnit, IndexSink, WriteAttempt } from '../../ports/indexes/index-sink.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import { isFailure } from '../resilience/remote-error.ts'
import { awaitTask, type Connection, enqueuedShape, isRefusal } from './connection.ts'
import { documentOf, namespaceCondition, oneOf, readersOf } from './document.ts'
import { documentId, orderOf } from './fields.ts'
import type { IndexState } from './index-state.ts'

/** Far below Meilisearch's default limit of 100 MB. */
const largestBody = 8 * 2 ** 20
const perRequest = 1000
/** Removing a whole namespace may take a while. */
const dropMs = 120_000

const page = z.object({ results: z.array(z.object({ unit_id: z.string(), seq: z.number() })) })
const fields = ['unit_id', 'seq'] satisfies string[]

/** Keeps Units as documents of the one index. */
export function createSink(
  connection: Connection,
  indexState: IndexState,
  { analysis, log }: { analysis: TextAnalysis; log: Log },
): IndexSink {
  const uid = connection.index
  /** By namespace, tasks of an attempt that ended before they did. */
  const unfinished = new Map<string, number[]>()

  const fetch = async (query: { filter: string; ids?: string[]; sort?: string[]; limit: number }) =>
    connection.call({ ms: connection.callMs.other }, async (client) =>
      page.parse(await client.index(uid).getDocuments({ ...query, fields })),
    )

  /** Without its words if they cannot be read: other Units must not wait for it. */
  const documentFor = (namespaceId: string, unit: IndexedUnit) => {
    try {
      return documentOf(namespaceId, unit, analysis)
    } catch {
      const fields = { namespaceId, unitId: unit.unitId, without: ['words'] }
      log.warn(fields, 'a Unit cannot be read as a whole; it is indexed without a part')
      return documentOf(namespaceId, { ...unit, title: null, text: null }, analysis)
    }
  }

  /** Waits for earlier tasks first: if each new attempt sent its documents again, a long queue would get longer. */
  async function finish(namespaceId: string, signal: AbortSignal): Promise<void> {
    const tasks = unfinished.get(namespaceId) ?? []
    try {
      for (let task = tasks[0]; task !== undefined; task = tasks[0]) {
        await awaitTask(connection, task, signal)
        tasks.shift()
      }
    } catch (error) {
      // Failed tasks need no further waiting.
      if (isFailure(error, 'failed') || isRefusal(error)) tasks.length = 0
      throw error
    } finally {
      if (tasks.length === 0) unfinished.delete(namespaceId)
    }
  }

  type Ask = Parameters<typeof connection.call>[1]

  /** Sends requests one after another, and waits for their tasks. */
  async function perform(namespaceId: string, { signal, unsettled }: WriteAttempt, requests: Iterable<Ask>) {
    const identity = await indexState.identity()
    await finish(namespaceId, signal)
    const tasks: number[] = []
    unfinished.set(namespaceId, tasks)
    for (const ask of requests) {
      const { taskUid } = await connection.call({ ms: connection.callMs.other, signal, unsettled }, async (client) =>
        enqueuedShape.parse(await ask(client)),
      )
      tasks.push(taskUid)
    }
    await finish(namespaceId, signal)
    // Documents sent to a deleted index create a new one of that name, without its settings.
    await indexState.confirm(identity)
  }

  function* writes(namespaceId: string, { puts, removals }: Parameters<IndexSink['write']>[1]): Generator<Ask> {
    for (const documents of batches(puts, (unit) => documentFor(namespaceId, unit))) {
      yield (client) => client.index(uid).addDocumentsFromString(documents, 'application/json', { primaryKey: 'id' })
    }
    for (let at = 0; at < removals.length; at += perRequest) {
      // By Unit, not by document id: this also removes a document of another client that has another id.
      const units = removals.slice(at, at + perRequest).map(({ unitId }) => orderOf(unitId))
      const filter = `${namespaceCondition(namespaceId)} AND ${oneOf('order', units)}`
      yield (client) => client.index(uid).deleteDocuments({ filter })
    }
  }

  function* partsOf(namespaceId: string, changes: readonly ReadersChange[]): Generator<Ask> {
    for (const documents of batches(changes, (change) => readersOf(namespaceId, change))) {
      yield (client) => client.index(uid).updateDocumentsFromString(documents, 'application/json', { primaryKey: 'id' })
    }
  }

  return {
    identity: () => indexState.identity(),
    write: (namespaceId, batch, attempt) => perform(namespaceId, attempt, writes(namespaceId, batch)),
    changeReaders: (namespaceId, changes, attempt) => perform(namespaceId, attempt, partsOf(namespaceId, changes)),

    held: async (namespaceId, units) => {
      const held = new Map<string, number>()
      for (let at = 0; at < units.length; at += perRequest) {
        const ids = units.slice(at, at + perRequest).map(({ unitId }: HeldUnit) => documentId(namespaceId, unitId))
        const { results } = await fetch({ filter: namespaceCondition(namespaceId), ids, limit: ids.length })
        for (const { unit_id, seq } of results) held.set(unit_id, seq)
      }
      return held
    },

    manifest: async (namespaceId, plane) => {
      const held = new Map<string, number>()
      const filter = `${namespaceCondition(namespaceId)} AND plane = "${plane}"`
      // By seq, not by page: concurrent changes then hide nothing.
      for (let after = -1; ; ) {
        const query = { filter: `${filter} AND seq > ${after}`, sort: ['seq:asc'], limit: perRequest }
        const { results } = await fetch(query)
        for (const { unit_id, seq } of results) held.set(unit_id, seq)
        const last = results.at(-1)
        if (last === undefined || results.length < perRequest) return held
        after = last.seq
      }
    },

    drop: async (namespaceId, { unsettled }) => {
      const signal = AbortSignal.timeout(dropMs)
      const { taskUid } = await connection.call({ ms: connection.callMs.other, signal, unsettled }, async (client) =>
        enqueuedShape.parse(await client.index(uid).deleteDocuments({ filter: namespaceCondition(namespaceId) })),
      )
      await awaitTask(connection, taskUid, signal)
    },
  }
}

/** JSON lists of documents, each small enough for a request. */
function* batches<U>(units: readonly U[], documentOf: (unit: U) => object): Generator<string> {
  let [list, size]: [string[], number] = [[], 0]
  for (const unit of units) {
    const document = JSON.stringify(documentOf(unit))
    if (list.length > 0 && (size + document.length > largestBody || list.length >= perRequest)) {
      yield `[${list.join()}]`
      ;[list, size] = [[], 0]
    }
    list.push(document)
    size += document.length
  }
  if (list.length > 0) yield `[${list.join()}]`
}

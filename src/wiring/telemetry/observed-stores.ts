import type { DatabaseCall, Telemetry } from '../../model/telemetry.ts'
import type { IndexSink } from '../../ports/indexes/index-sink.ts'
import type { TextIndex } from '../../ports/indexes/text-index.ts'
import type { VectorIndex } from '../../ports/indexes/vector-index.ts'
import type { KeyValue } from '../../ports/stores/key-value.ts'

/** The same store; each command is reported, where that is wanted. */
export function observedKeyValue({ database }: Telemetry, store: KeyValue): KeyValue {
  if (!database) return store
  const call = (operation: string): DatabaseCall => ({ system: 'redis', operation })
  return {
    ...store,
    get: (key) => database(call('GET'), () => store.get(key)),
    set: (...given) => database(call('SET'), () => store.set(...given)),
    delete: (key) => database(call('DEL'), () => store.delete(key)),
    increment: (...given) => database(call('INCR'), () => store.increment(...given)),
  }
}

/** The same index of an engine elsewhere. */
export function observedVectors({ database }: Telemetry, index: Omit<VectorIndex, 'feed'>): Omit<VectorIndex, 'feed'> {
  if (!database) return index
  const call: DatabaseCall = { system: 'pinecone', operation: 'query' }
  return { ...index, search: (query, filter, limit) => database(call, () => index.search(query, filter, limit)) }
}

export function observedTexts({ database }: Telemetry, index: Omit<TextIndex, 'feed'>): Omit<TextIndex, 'feed'> {
  if (!database) return index
  const call: DatabaseCall = { system: 'meilisearch', operation: 'search' }
  return { ...index, search: (query, filter, limit) => database(call, () => index.search(query, filter, limit)) }
}

export function observedSink({ database }: Telemetry, system: DatabaseCall['system'], sink: IndexSink): IndexSink {
  if (!database) return sink
  return {
    ...sink,
    write: (...given) => database({ system, operation: 'write' }, () => sink.write(...given)),
    drop: (...given) => database({ system, operation: 'delete' }, () => sink.drop(...given)),
  }
}

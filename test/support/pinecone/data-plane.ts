import type { StoredIndex } from './control-plane.ts'
import { compileFilter, type RecordMetadata } from './metadata-filter.ts'
import type { StoredRecord } from './namespaces.ts'
import { RefusalError } from './refusal.ts'

// biome-ignore lint/suspicious/noExplicitAny: the wire has no types
type Json = any

interface Request {
  method: string
  /** The path below the index's host. */
  path: string
  query: URLSearchParams
  body: Json
  /** The body as sent. */
  bytes: number
}

export interface DataAnswer {
  body: Json
  headers: Record<string, string>
}

const maxRecords = 1000
const maxBytes = 2 * 2 ** 20
const maxMetadataBytes = 40 * 1024
const maxListed = 100
const smallest = 1e-8

/** The operations on the vectors of one index, with the limits of the real one. */
export function dataPlane(index: StoredIndex, request: Request): DataAnswer {
  const { method, path } = request
  switch (`${method} ${path}`) {
    case 'POST /vectors/upsert':
      return upsert(index, request)
    case 'POST /vectors/delete':
      return remove(index, request)
    case 'POST /query':
      return query(index, request)
    case 'GET /vectors/fetch':
      return fetchRecords(index, request)
    case 'GET /vectors/list':
      return list(index, request)
    case 'POST /describe_index_stats':
      return stats(index)
    case 'GET /namespaces':
      return plain({ namespaces: index.namespaces.names().map((name) => describe(index, name)) })
  }
  const [, name] = /^\/namespaces\/([^/]+)$/.exec(path) ?? []
  if (name === undefined) throw new RefusalError(404, 'no such operation')
  const namespace = known(index, decodeURIComponent(name))
  if (method === 'GET') return plain(describe(index, namespace))
  if (method !== 'DELETE') throw new RefusalError(404, 'no such operation')
  index.namespaces.remove(namespace)
  return plain({})
}

const plain = (body: Json): DataAnswer => ({ body, headers: {} })
const describe = (index: StoredIndex, name: string) => ({
  name,
  record_count: String(index.namespaces.read(name)?.visible.size ?? 0),
})

function known(index: StoredIndex, namespace: string): string {
  if (!index.namespaces.has(namespace)) throw new RefusalError(404, 'Namespace not found')
  return namespace
}

function upsert(index: StoredIndex, { body, bytes }: Request): DataAnswer {
  if (bytes > maxBytes) throw new RefusalError(400, 'the request is larger than 2 MB')
  const records: StoredRecord[] = body.vectors.map((vector: Json) => storedRecord(index, vector))
  if (records.length > maxRecords) throw new RefusalError(400, 'at most 1,000 records')
  if (new Set(records.map(({ id }) => id)).size < records.length) throw new RefusalError(400, 'an id comes twice')
  const lsn = index.namespaces.write(body.namespace, (held) => {
    for (const record of records) held.set(record.id, record)
  })
  return { body: { upsertedCount: records.length }, headers: lsnHeaders(index, body.namespace, lsn) }
}

function storedRecord({ dimension }: StoredIndex, { id, values, metadata = {} }: Json): StoredRecord {
  checkVector(dimension, values)
  if (Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes)
    throw new RefusalError(400, 'metadata beyond 40 KB')
  for (const [key, value] of Object.entries(metadata as RecordMetadata)) {
    const isValue =
      ['string', 'number', 'boolean'].includes(typeof value) ||
      (Array.isArray(value) && value.every((v) => typeof v === 'string'))
    if (key.startsWith('$') || !isValue) throw new RefusalError(400, `metadata may not hold ${key}`)
  }
  return { id, values: values.map(Math.fround), metadata }
}

function checkVector(dimension: number, values: number[]): void {
  if (values.length !== dimension) {
    throw new RefusalError(
      400,
      `Vector dimension ${values.length} does not match the dimension of the index ${dimension}`,
    )
  }
  if (!values.some((v) => Math.abs(v) >= smallest)) throw new RefusalError(400, 'a vector must hold a non-zero value')
}

function remove(index: StoredIndex, { body }: Request): DataAnswer {
  const namespace = known(index, body.namespace)
  const test = body.filter ? compileFilter(body.filter) : null
  if (body.ids?.length > maxRecords) throw new RefusalError(400, 'at most 1,000 ids')
  const lsn = index.namespaces.write(namespace, (held) => {
    if (body.deleteAll) held.clear()
    for (const id of body.ids ?? []) held.delete(id)
    for (const record of test ? [...held.values()] : []) if (test?.(record.metadata)) held.delete(record.id)
  })
  return { body: {}, headers: lsnHeaders(index, namespace, lsn) }
}

function lsnHeaders(index: StoredIndex, namespace: string, lsn: number): Record<string, string> {
  const indexed = index.namespaces.read(namespace)?.indexedLsn ?? 0
  return { 'x-pinecone-request-lsn': String(lsn), 'x-pinecone-max-indexed-lsn': String(indexed) }
}

function query(index: StoredIndex, { body }: Request): DataAnswer {
  const { topK, vector, includeMetadata, includeValues } = body
  if ((includeMetadata || includeValues) && topK > 1000) throw new RefusalError(400, 'top_k beyond 1,000 with values')
  checkVector(index.dimension, vector)
  const test = body.filter ? compileFilter(body.filter) : () => true
  const namespace = index.namespaces.read(body.namespace)
  const asked = vector.map(Math.fround)
  const matches = [...(namespace?.visible.values() ?? [])]
    .filter(({ metadata }) => test(metadata))
    .map(({ id, values, metadata }) => ({
      id,
      score: Math.fround(cosine(asked, values)),
      ...(includeValues && { values }),
      ...(includeMetadata && { metadata }),
    }))
    // The order of equal scores is undefined, so clients must not rely on it.
    .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
    .slice(0, topK)
  const headers: Record<string, string> = namespace
    ? { 'x-pinecone-max-indexed-lsn': String(namespace.indexedLsn) }
    : {}
  return { body: { results: [], matches, namespace: body.namespace, usage: { readUnits: 1 } }, headers }
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, aa, bb] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0]
    dot += x * y
    aa += x * x
    bb += y * y
  }
  return dot / Math.sqrt(aa * bb)
}

function fetchRecords(index: StoredIndex, { query }: Request): DataAnswer {
  const ids = query.getAll('ids')
  if (ids.length > maxRecords) throw new RefusalError(400, 'at most 1,000 ids')
  const held = index.namespaces.read(query.get('namespace') ?? '')?.visible
  const found = ids.flatMap((id) => held?.get(id) ?? [])
  const vectors = Object.fromEntries(found.map((record) => [record.id, record]))
  return plain({ vectors, namespace: query.get('namespace'), usage: { readUnits: 1 } })
}

function list(index: StoredIndex, { query }: Request): DataAnswer {
  const limit = Number(query.get('limit') ?? maxListed)
  if (limit < 1 || limit > maxListed) throw new RefusalError(400, 'limit must be 1 to 100')
  const after = Buffer.from(query.get('paginationToken') ?? '', 'base64').toString()
  const prefix = query.get('prefix') ?? ''
  const ids = [...(index.namespaces.read(query.get('namespace') ?? '')?.visible.keys() ?? [])]
    .filter((id) => id.startsWith(prefix) && id > after)
    .sort()
  const page = ids.slice(0, limit)
  const next = ids.length > limit ? { pagination: { next: Buffer.from(page.at(-1) ?? '').toString('base64') } } : {}
  return plain({ vectors: page.map((id) => ({ id })), ...next, namespace: query.get('namespace') })
}

function stats(index: StoredIndex): DataAnswer {
  const counts = index.namespaces.names().map((name) => [name, index.namespaces.read(name)?.visible.size ?? 0] as const)
  return plain({
    namespaces: Object.fromEntries(counts.map(([name, vectorCount]) => [name, { vectorCount }])),
    dimension: index.dimension,
    indexFullness: 0,
    totalVectorCount: counts.reduce((sum, [, count]) => sum + count, 0),
    metric: index.metric,
    vectorType: 'dense',
  })
}

import type { Bearer, LocalKey } from './keys.ts'
import { type Document, LocalIndex } from './local-index.ts'
import { RefusalError } from './refusal.ts'
import { answer, compareRanked, federated, filtered, picked, type SearchQuery } from './search.ts'
import type { TaskQueue } from './tasks.ts'

interface State {
  indexes: Map<string, LocalIndex>
  keys: Map<string, LocalKey>
  queue: TaskQueue
  newKey(uid: string): string
}

interface Call {
  method: string
  path: string
  query: URLSearchParams
  // biome-ignore lint/suspicious/noExplicitAny: the wire has no types; the contract has checked it
  body: any
  bearer: Bearer
}

interface Answer {
  status: number
  body: object
}

const ok = (body: object): Answer => ({ status: 200, body })
const accepted = (body: object): Answer => ({ status: 202, body })

/** The routes that the service calls. */
export function createRoutes({ indexes, keys, queue, newKey }: State): (call: Call) => Answer {
  const indexOf = (uid: string): LocalIndex => {
    const index = indexes.get(uid)
    if (!index) throw new RefusalError(404, 'index_not_found', `Index \`${uid}\` not found.`)
    return index
  }

  const byPath: [RegExp, (call: Call, parts: string[]) => Answer][] = [
    [/^GET \/indexes\/([^/]+)$/, (_, [uid = '']) => ok(described(indexOf(uid)))],
    [/^POST \/indexes$/, ({ body }) => accepted(create(body.uid, body.primaryKey ?? null))],
    [/^DELETE \/indexes\/([^/]+)$/, (_, [uid = '']) => accepted(remove(uid))],
    [/^GET \/indexes\/([^/]+)\/settings$/, (_, [uid = '']) => ok(indexOf(uid).settings)],
    [/^PATCH \/indexes\/([^/]+)\/settings$/, ({ body }, [uid = '']) => accepted(configure(uid, body))],
    [/^POST \/indexes\/([^/]+)\/documents$/, ({ body, query }, [uid = '']) => accepted(add(uid, body, query))],
    [/^PUT \/indexes\/([^/]+)\/documents$/, ({ body, query }, [uid = '']) => accepted(add(uid, body, query, true))],
    [/^POST \/indexes\/([^/]+)\/documents\/fetch$/, ({ body }, [uid = '']) => ok(fetch(indexOf(uid), body))],
    [/^POST \/indexes\/([^/]+)\/documents\/delete-batch$/, ({ body }, [uid = '']) => accepted(drop(uid, body))],
    [/^POST \/indexes\/([^/]+)\/documents\/delete$/, ({ body }, [uid = '']) => accepted(dropBy(uid, body.filter))],
    [/^GET \/tasks\/(\d+)$/, (_, [uid]) => ok({ ...queue.find(Number(uid)) })],
    [/^GET \/keys\/([^/]+)$/, (_, [uid = '']) => ok(key(uid))],
    [/^POST \/keys$/, ({ body }) => ({ status: 201, body: createKey(body) })],
  ]

  const create = (uid: string, primaryKey: string | null) =>
    queue.enqueue('indexCreation', uid, () => {
      if (indexes.has(uid)) throw new RefusalError(409, 'index_already_exists')
      indexes.set(uid, new LocalIndex(uid, primaryKey, new Date().toISOString()))
    })

  const remove = (uid: string) =>
    queue.enqueue('indexDeletion', uid, () => {
      indexes.delete(indexOf(uid).uid)
    })

  const configure = (uid: string, changes: Record<string, unknown>) =>
    queue.enqueue('settingsUpdate', uid, () => indexOf(uid).configure(changes))

  /** The first documents create a missing index. An update leaves out what stays. */
  const add = (uid: string, documents: Document[], query: URLSearchParams, isUpdate = false) =>
    queue.enqueue('documentAdditionOrUpdate', uid, () => {
      const index = indexes.get(uid) ?? new LocalIndex(uid, query.get('primaryKey'), new Date().toISOString())
      indexes.set(uid, index)
      index.primaryKey ??= query.get('primaryKey')
      if (index.primaryKey === null) throw new RefusalError(400, 'index_primary_key_no_candidate_found')
      for (const document of documents) {
        const id = `${document[index.primaryKey]}`
        if (!/^[a-zA-Z0-9_-]{1,511}$/.test(id)) throw new RefusalError(400, 'invalid_document_id')
        index.put(id, isUpdate ? { ...index.documents.get(id), ...document } : document)
      }
    })

  const drop = (uid: string, ids: unknown[]) =>
    queue.enqueue('documentDeletion', uid, () => {
      for (const id of ids) indexOf(uid).remove(`${id}`)
    })

  const dropBy = (uid: string, filter: unknown) =>
    queue.enqueue('documentDeletion', uid, () => {
      const index = indexOf(uid)
      for (const id of filtered(index, [filter], 'invalid_document_filter')) index.remove(id)
    })

  const fetch = (index: LocalIndex, { filter, ids, sort = [], fields, limit = 20, offset = 0 }: Call['body']) => {
    const wanted = ids === undefined ? null : new Set(ids)
    const found = [...filtered(index, [filter], 'invalid_document_filter')].filter((id) => wanted?.has(id) ?? true)
    const keyed = found.map((id) => {
      const document = index.documents.get(id) ?? {}
      const keys = sort.map((rule: string) => document[rule.replace(/:asc$/, '')])
      return { id, document, score: 0, keys }
    })
    keyed.sort(compareRanked)
    const results = keyed
      .slice(offset, offset + limit)
      .map(({ document }) => picked(picked(document, index.list('displayedAttributes')), fields ?? ['*']))
    return { results, offset, limit, total: found.length }
  }

  const key = (uid: string): LocalKey => {
    const known = keys.get(uid)
    if (!known) throw new RefusalError(404, 'api_key_not_found')
    return known
  }

  const createKey = ({ uid, name = null, actions, indexes, expiresAt }: Call['body']): LocalKey => {
    if (!/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uid)) {
      throw new RefusalError(400, 'invalid_api_key_uid')
    }
    if (keys.has(uid)) throw new RefusalError(409, 'api_key_already_exists')
    const made = { uid, key: newKey(uid), name, actions, indexes, expiresAt }
    keys.set(uid, made)
    return made
  }

  const search = ({ body, bearer }: Call): object => {
    const queries = (body.queries as SearchQuery[]).map((query) => ({
      query,
      rule: bearer.ruleFor(query.indexUid),
      index: indexOf(query.indexUid),
    }))
    if (body.federation) return federated(queries, body.federation)
    return { results: queries.map(({ index, query, rule }) => answer(index, query, rule)) }
  }

  return (call) => {
    if (call.path === '/multi-search') return ok(search(call))
    if (!call.bearer.isAdmin) throw new RefusalError(403, 'invalid_api_key')
    for (const [pattern, run] of byPath) {
      const parts = pattern.exec(`${call.method} ${call.path}`)
      if (parts) return run(call, parts.slice(1))
    }
    throw new RefusalError(404, 'not_found')
  }
}

const described = ({ uid, primaryKey, createdAt }: LocalIndex) => ({ uid, primaryKey, createdAt, updatedAt: createdAt })

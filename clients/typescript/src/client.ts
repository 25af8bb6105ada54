import type {
  Answer,
  AnswerEvent,
  ApiKey,
  AuditPage,
  AuditRow,
  Body,
  CitedAnswer,
  Document,
  Group,
  Operation,
  Result,
  SearchAnswer,
  SearchQuery,
  Unit,
  UnitInput,
  UnitPage,
  Variables,
} from './answers.ts'
import { documents } from './documents.ts'
import { errorOf } from './errors.ts'
import { chunksOf, linesOf } from './lines.ts'
import type { paths } from './openapi.ts'
import { type Call, type ClientOptions, createSend, type RequestOptions, wait } from './send.ts'
import { type Bytes, type UploadOptions, upload } from './upload.ts'

type Page = { limit?: number; cursor?: number }
/** What is sent with a file beside its bytes: `input` has its `doc_id`, `scope`, `acl_groups`, `metadata`. */
type DocumentOptions = UploadOptions & { input?: Partial<Variables<'ingestDocument'>['input']> }
type UnitSelection = Body<'/v1/units:delete', 'post'>
type GraphqlError = { message: string; extensions?: { code?: string; status?: number; required_tier?: string } }

export type Client = ReturnType<typeof createClient>

/** A client of one service. Methods resolve to the response's body, in the service's own names, or throw a `SvcError`. */
export function createClient(client: ClientOptions) {
  const send = createSend(client)
  const call = async <Result>(request: Call, options?: RequestOptions): Promise<Result> =>
    (await send(request, options)).json()
  const get = <Path extends keyof paths>(
    path: Path,
    query: NonNullable<Call['query']> = {},
    options?: RequestOptions,
  ) => call<Answer<Path, 'get' & keyof paths[Path]>>({ method: 'GET', path, query }, options)
  const post = <Path extends keyof paths>(path: Path, json: unknown, options?: RequestOptions) =>
    call<Answer<Path, 'post' & keyof paths[Path]>>({ method: 'POST', path, json }, options)

  /** Runs a GraphQL operation. Throws its first error. */
  async function graphql<Data = Record<string, unknown>>(
    document: string,
    variables: Record<string, unknown> = {},
    options?: RequestOptions,
  ): Promise<Data> {
    const response = await send({ method: 'POST', path: '/graphql', json: { query: document, variables } }, options)
    const { data, errors } = (await response.json()) as { data?: Data; errors?: GraphqlError[] }
    const [error] = errors ?? []
    if (!error && data) return data
    const {
      code = 'internal_error',
      status = statusOf[code] ?? 500,
      required_tier: requiredTier = null,
    } = error?.extensions ?? {}
    const requestId = response.headers.get('X-Request-Id')
    throw errorOf({ status, code, detail: error?.message ?? 'no data', requestId, retryAfter: null, requiredTier })
  }

  /** Runs an operation that REST does not have: names of the wire go in and come out. */
  const run = async <Name extends Operation>(name: Name, variables: Variables<Name>, options?: RequestOptions) => {
    const data = await graphql<{ result: Result<Name> }>(documents[name], camel(variables), options)
    return data.result
  }

  const units = {
    ingest: (list: UnitInput[], options?: RequestOptions) => post('/v1/ingest', { units: list }, options),
    get: (id: string, options?: RequestOptions) =>
      call<Unit>({ method: 'GET', path: `/v1/units/${encodeURIComponent(id)}` }, options),
    /** One page, in the order of writing; `next_cursor` leads to the next one. */
    page: (page: Variables<'units'> = {}, options?: RequestOptions): Promise<UnitPage> => run('units', page, options),
    /** All Units, page by page. `limit` is the size of a page. */
    list: (page: Variables<'units'> = {}, options?: RequestOptions): AsyncGenerator<UnitPage['units'][number]> =>
      each(
        (cursor) => units.page({ ...page, ...cursor }, options),
        ({ units: found }) => found,
      ),
    delete: (selection: UnitSelection, options?: RequestOptions) => post('/v1/units:delete', selection, options),
    /** Changes who reads the Units of `ids`, `doc_id` or `filter`: all of them, or none. */
    updateReaders: (input: Variables<'updateReaders'>['input'], options?: RequestOptions) =>
      run('updateReaders', { input }, options),
  }

  const sources = {
    upload: (source: Bytes, options?: UploadOptions) =>
      upload({ send, client, createUpload: (input, own) => run('createUpload', input, own) }, source, options),
    get: (uri: string, options?: RequestOptions) => run('source', { source_uri: uri }, options),
    delete: (uri: string, options?: RequestOptions) => run('deleteSource', { source_uri: uri }, options),
  }

  const files = {
    /** Takes in a file. Its Units are made in the background: see `wait`. Bytes need a `name`. */
    async upload(file: Bytes, { mime, name, onProgress, input, ...options }: DocumentOptions = {}): Promise<Document> {
      const named = name ?? (file as { name?: string }).name
      const own = { ...(mime && { mime }), ...(onProgress && { onProgress }) }
      const base = named?.split('/').at(-1)
      const { source_uri } = await sources.upload(file, { ...options, ...own, ...(base && { name: base }) })
      return run('ingestDocument', { input: { source_uri, ...(named && { name: named }), ...input } }, options)
    },
    get: (id: string, options?: RequestOptions) => run('document', { document_id: id }, options),
    page: (page: Variables<'documents'> = {}, options?: RequestOptions) => run('documents', page, options),
    list: (page: Variables<'documents'> = {}, options?: RequestOptions): AsyncGenerator<Document> =>
      each(
        (cursor) => files.page({ ...page, ...cursor }, options),
        ({ documents: found }) => found,
      ),
    /** The document once it is ready or has failed. `signal` ends the wait. */
    async wait(id: string, options: RequestOptions = {}): Promise<Document> {
      for (let attempt = 0; ; attempt += 1) {
        const document = await files.get(id, options)
        if (document.status === 'ready' || document.status === 'failed') return document
        await wait(Math.min(100 * 1.5 ** attempt, 2000), options.signal)
      }
    },
    retry: (ids: string[], options?: RequestOptions) => run('retryDocuments', { document_ids: ids }, options),
    delete: (ids: string[], { hard = false, ...options }: RequestOptions & { hard?: boolean } = {}) =>
      run('deleteDocuments', { document_ids: ids, hard }, options),
  }

  const groups = {
    list: (page: Variables<'groups'> = {}, options?: RequestOptions): AsyncGenerator<Group> =>
      each(
        (cursor) => run('groups', { ...page, ...cursor }, options),
        ({ groups: found }) => found,
      ),
    /** Who is in a group, also through other groups and by grants. */
    members: (name: string, options?: RequestOptions): AsyncGenerator<Result<'groupMembers'>['members'][number]> =>
      each(
        (cursor) => run('groupMembers', { name, ...cursor }, options),
        ({ members }) => members,
      ),
    /** Changes who is in a group. It exists as soon as something names it. */
    change: (name: string, input: Variables<'changeGroup'>['input'], options?: RequestOptions) =>
      run('changeGroup', { name, input }, options),
    rename: (name: string, newName: string, options?: RequestOptions) =>
      run('renameGroup', { name, new_name: newName }, options),
  }

  /** API keys of the calling principal. */
  const keys = {
    list: (options?: RequestOptions): AsyncGenerator<ApiKey> =>
      each(
        (cursor) => run('apiKeys', { ...cursor }, options),
        ({ keys: found }) => found,
      ),
    /** The key, and its `token`, which nobody shows again. */
    create: (input: Variables<'createApiKey'>['input'], options?: RequestOptions) =>
      run('createApiKey', { input }, options),
    revoke: (id: string, options?: RequestOptions) => run('revokeApiKey', { id }, options),
  }

  const audit = {
    page: ({ limit, cursor }: Page = {}, options?: RequestOptions): Promise<AuditPage> =>
      get('/v1/audit', { limit, cursor }, options),
    /** All rows that the caller may see, newest first. */
    list: (options?: RequestOptions): AsyncGenerator<AuditRow> =>
      each(
        (cursor) => audit.page(cursor, options),
        ({ rows }) => rows,
      ),
    verify: (options?: RequestOptions) => get('/v1/audit/verify', {}, options),
    checkpoint: ({ size }: { size?: number } = {}, options?: RequestOptions) =>
      get('/v1/audit/checkpoint', { size }, options),
    proof: ({ seq, from, size }: { seq?: number; from?: number; size?: number }, options?: RequestOptions) =>
      get('/v1/audit/proof', { seq, from, size }, options),
    /** The whole log, one row as canonical JSON for each item. Throws if the stream ends early. */
    async *export(options?: RequestOptions): AsyncGenerator<string> {
      const { url } = await run('exportAudit', {}, options)
      const path = new URL(url, client.baseUrl).href
      const response = await send({ method: 'GET', path, isLink: true, mayRetry: false }, options)
      if (response.body) yield* linesOf(chunksOf(response.body))
    },
  }

  return {
    health: (options?: RequestOptions) => get('/v1/health', {}, options),
    context: (options?: RequestOptions) => get('/v1/context', {}, options),
    stats: (options?: RequestOptions) => get('/v1/catalog/stats', {}, options),
    search: (query: SearchQuery, options?: RequestOptions): Promise<SearchAnswer> => post('/v1/search', query, options),
    /** A cited answer. Throws `UpgradeRequired` on a tier without answers. */
    answer: (query: SearchQuery, options?: RequestOptions): Promise<CitedAnswer> =>
      post('/v1/answer', { ...query, answer: true }, options),
    /** The same, as it is made. */
    async *answerStream(query: SearchQuery, options?: RequestOptions): AsyncGenerator<AnswerEvent> {
      const accept = 'text/event-stream'
      const response = await send({ method: 'POST', path: '/v1/answer', json: query, accept }, options)
      if (response.body) yield* eventsOf(linesOf(chunksOf(response.body)), response.headers.get('X-Request-Id'))
    },
    /** Counts Units by the values of fields. */
    facets: (input: Variables<'facets'>['input'], options?: RequestOptions) => run('facets', { input }, options),
    /** Why a principal may or may not read, and write. */
    explainAccess: (input: Variables<'explainAccess'>, options?: RequestOptions) =>
      run('explainAccess', input, options),
    graphql,
    units,
    documents: files,
    scopes: registry('/v1/scopes', '/v1/scopes/{scope}'),
    namespaces: registry('/v1/namespaces', '/v1/namespaces/{ns}'),
    grants: registry('/v1/grants', '/v1/grants/{id}'),
    principals: {
      ...registry('/v1/principals', '/v1/principals/{id}'),
      update: (id: string, input: Variables<'updatePrincipal'>['input'], options?: RequestOptions) =>
        run('updatePrincipal', { id, input }, options),
    },
    groups,
    keys,
    audit,
    sources,
    billing: {
      plans: (options?: RequestOptions) => get('/v1/billing/plans', {}, options),
      checkout: (body: Body<'/v1/billing/checkout', 'post'>, options?: RequestOptions) =>
        post('/v1/billing/checkout', body, options),
      subscription: (options?: RequestOptions) => get('/v1/billing/subscription', {}, options),
      portal: (options?: RequestOptions) => post('/v1/billing/portal', {}, options),
    },
  }

  type Registries = '/v1/scopes' | '/v1/namespaces' | '/v1/grants' | '/v1/principals'
  type Members = '/v1/scopes/{scope}' | '/v1/namespaces/{ns}' | '/v1/grants/{id}' | '/v1/principals/{id}'

  function registry<All extends Registries, One extends Members>(path: All, _one: One) {
    const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`
    return {
      list: (options?: RequestOptions) => call<Answer<All, 'get'>>({ method: 'GET', path }, options),
      create: (body: Body<All, 'post'>, options?: RequestOptions) =>
        call<Answer<All, 'post'>>({ method: 'POST', path, json: body }, options),
      get: (id: string, options?: RequestOptions) =>
        call<Answer<One, 'get'>>({ method: 'GET', path: pathOf(id) }, options),
      delete: (id: string, options?: RequestOptions) =>
        call<Answer<One, 'delete'>>({ method: 'DELETE', path: pathOf(id) }, options),
    }
  }
}

/** The status of codes that GraphQL answers without one. */
const statusOf: Readonly<Record<string, number>> = {
  bad_request: 400,
  unauthorized: 401,
  upgrade_required: 402,
  quota_exceeded: 402,
  forbidden: 403,
  not_found: 404,
  rate_limited: 429,
}

async function* each<Page extends { next_cursor?: number | null }, Item>(
  pageAt: (cursor: { cursor?: number }) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item> {
  let cursor: number | undefined
  do {
    const page = await pageAt(cursor === undefined ? {} : { cursor })
    yield* itemsOf(page)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

async function* eventsOf(lines: AsyncIterable<string>, requestId: string | null): AsyncGenerator<AnswerEvent> {
  let event = ''
  for await (const line of lines) {
    if (line.startsWith('event: ')) event = line.slice(7)
    if (!line.startsWith('data: ')) continue
    const data = JSON.parse(line.slice(6))
    const { error: code, status, detail, required_tier: requiredTier = null } = data
    if (event === 'error') throw errorOf({ status, code, detail, requestId, retryAfter: null, requiredTier })
    yield { event, ...data }
  }
}

/** Names of the wire to those of GraphQL. The caller chooses the keys of metadata. */
function camel<Value>(value: Value): Record<string, unknown> & Value {
  if (Array.isArray(value)) return value.map(camel) as never
  if (typeof value !== 'object' || value === null) return value as never
  const fields = Object.entries(value).map(([name, one]) => [
    name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    name === 'metadata' ? one : camel(one),
  ])
  return Object.fromEntries(fields)
}

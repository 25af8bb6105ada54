import type {
  Answer,
  AuditPage,
  AuditRow,
  Body,
  CitedAnswer,
  SearchAnswer,
  SearchQuery,
  Unit,
  UnitInput,
  UnitPage,
} from './answers.ts'
import { errorOf } from './errors.ts'
import { chunksOf, linesOf } from './lines.ts'
import type { paths } from './openapi.ts'
import type { Platform } from './platform.ts'
import { type Call, type ClientOptions, createSend, type RequestOptions } from './send.ts'
import { type UploadOptions, upload } from './upload.ts'

type Page = { limit?: number; cursor?: number | string }
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

  const units = {
    ingest: (list: UnitInput[], options?: RequestOptions) => post('/v1/ingest', { units: list }, options),
    get: (id: string, options?: RequestOptions) =>
      call<Unit>({ method: 'GET', path: `/v1/units/${encodeURIComponent(id)}` }, options),
    /** One page; `next_cursor` leads to the next one. */
    page: ({ limit, cursor }: Page = {}, options?: RequestOptions): Promise<UnitPage> =>
      get('/v1/units', { limit, cursor }, options),
    /** All Units, page by page. `limit` is the size of a page. */
    list: ({ limit }: { limit?: number } = {}, options?: RequestOptions): AsyncGenerator<UnitPage['units'][number]> =>
      each(
        (cursor) => units.page({ ...(limit && { limit }), ...(cursor && { cursor }) }, options),
        ({ units: found }) => found,
      ),
    delete: (selection: UnitSelection, options?: RequestOptions) => post('/v1/units:delete', selection, options),
  }

  const audit = {
    page: ({ limit, cursor }: Page = {}, options?: RequestOptions): Promise<AuditPage> =>
      get('/v1/audit', { limit, cursor }, options),
    /** All rows that the caller may see, newest first. */
    list: (options?: RequestOptions): AsyncGenerator<AuditRow> =>
      each(
        (cursor) => audit.page({ ...(cursor && { cursor }) }, options),
        ({ rows }) => rows,
      ),
    verify: (options?: RequestOptions) => get('/v1/audit/verify', {}, options),
    checkpoint: ({ size }: { size?: number } = {}, options?: RequestOptions) =>
      get('/v1/audit/checkpoint', { size }, options),
    proof: ({ seq, from, size }: { seq?: number; from?: number; size?: number }, options?: RequestOptions) =>
      get('/v1/audit/proof', { seq, from, size }, options),
    /** The whole log, one row as canonical JSON for each item. Throws if the stream ends early. */
    async *export(options?: RequestOptions): AsyncGenerator<string> {
      const data = await graphql<{ exportAudit: { url: string } }>('mutation { exportAudit { url } }', {}, options)
      const path = new URL(data.exportAudit.url, client.baseUrl).href
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
    graphql,
    units,
    scopes: registry('/v1/scopes', '/v1/scopes/{scope}'),
    namespaces: registry('/v1/namespaces', '/v1/namespaces/{ns}'),
    grants: registry('/v1/grants', '/v1/grants/{id}'),
    principals: registry('/v1/principals', '/v1/principals/{id}'),
    audit,
    sources: {
      upload: (source: Uint8Array<ArrayBuffer> | ArrayBuffer | Platform<'Blob'>, options?: UploadOptions) =>
        upload({ send, graphql, client }, source, options),
    },
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

async function* each<Page extends { next_cursor?: number | string | null }, Item>(
  pageAt: (cursor: number | string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item> {
  let cursor: number | string | undefined
  do {
    const page = await pageAt(cursor)
    yield* itemsOf(page)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

import type { Metadata, Modality, Plane } from '../../../src/model/unit.ts'
import type { Reply, TestApp } from '../../support/boot.ts'
import { type AnyQuery, askAnyQuery } from './any-query.ts'
import { askDocuments, type DocumentAsk } from './documents/operations.ts'
import { askTool } from './mcp.ts'
import { facetFields } from './sums.ts'

export interface SearchBody {
  q: string
  top_k?: number
  planes?: readonly Plane[]
  scope?: string
  rerank?: boolean
  answer?: boolean
  min_score?: number
  offset?: number
  group_by?: string
  group_size?: number
  sort?: readonly { by: string; order: string }[]
  snippet_length?: number
  facets?: readonly string[]
  boost?: readonly object[]
  vector?: Partial<Record<Plane, readonly number[]>>
  filters?: {
    modality?: readonly Modality[]
    doc_id?: readonly string[]
    external_id?: readonly string[]
    source_uri?: readonly string[]
    acl_owner?: readonly string[]
    metadata?: Metadata
  }
}

export interface DeleteBody {
  ids?: readonly string[]
  filter?: {
    scope?: string
    doc_id?: string
    external_id?: string
    source_uri?: string
    modality?: Modality
    plane?: Plane
    metadata?: Metadata
  }
  hard?: boolean
}

type Filters = NonNullable<SearchBody['filters']>

/** Only GraphQL has `docs`, `facets` and `files`. */
export type Operation =
  | { kind: 'context' }
  | { kind: 'namespaces' }
  | { kind: 'scopes' }
  | { kind: 'scope'; scope: string }
  | { kind: 'units'; limit: number | null; cursor: number | null }
  | { kind: 'unit'; id: string }
  | { kind: 'search'; body: SearchBody }
  | { kind: 'delete'; body: DeleteBody }
  | { kind: 'docs'; filters: Filters; limit: number; cursor: number }
  | { kind: 'facets'; filters: Filters }
  | { kind: 'files'; ask: DocumentAsk }
  | { kind: 'any'; ask: AnyQuery }

type Asked = Exclude<Operation, { kind: 'files' | 'any' }>

export interface Call {
  door: 'rest' | 'graphql' | 'mcp'
  token: string | undefined
  namespace?: string | undefined
  scopeHeader?: string | undefined
  scopeQuery?: string | undefined
}

/** Sends a request over REST, GraphQL or MCP. The answer has REST's shape, and `text` is the raw response. */
export async function ask(app: TestApp, operation: Operation, call: Call): Promise<Reply & { text: string }> {
  const { door, token, namespace, scopeHeader, scopeQuery } = call
  if (door === 'mcp') return askTool(app, operation, call)
  const options = {
    ...(token === undefined ? {} : { token }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(scopeHeader === undefined ? {} : { scope: scopeHeader }),
  }
  const query = new URLSearchParams(scopeQuery === undefined ? {} : { scope: scopeQuery })
  if (operation.kind === 'any') return askAnyQuery(app, operation.ask, `/graphql?${query}`, options)
  if (operation.kind === 'files') return askDocuments(app, operation.ask, `/graphql?${query}`, options)
  const rest = door === 'rest' ? toRest(operation, query) : null
  if (rest) {
    const { method, path, body } = rest
    const reply = await app.call(method, `${path}?${query}`, body === undefined ? options : { ...options, body })
    return { ...reply, text: JSON.stringify(reply.body) }
  }
  const reply = await app.call('POST', `/graphql?${query}`, { ...options, body: toGraphql(operation) })
  const { data, errors } = reply.body
  const [error] = errors ?? []
  const text = JSON.stringify(reply.body)
  if (!error) return { ...reply, body: data.body ?? data, text }
  const { code, status } = error.extensions
  return { ...reply, status, body: { error: code, detail: error.message, status }, text }
}

function toRest(operation: Asked, query: URLSearchParams): { method: string; path: string; body?: unknown } | null {
  switch (operation.kind) {
    case 'context':
    case 'namespaces':
    case 'scopes':
      return { method: 'GET', path: `/v1/${operation.kind}` }
    case 'scope':
      return { method: 'GET', path: `/v1/scopes/${encodeURIComponent(operation.scope)}` }
    case 'units':
      if (operation.limit !== null) query.set('limit', `${operation.limit}`)
      if (operation.cursor !== null) query.set('cursor', `${operation.cursor}`)
      return { method: 'GET', path: '/v1/units' }
    case 'unit':
      return { method: 'GET', path: `/v1/units/${encodeURIComponent(operation.id)}` }
    case 'search':
      return { method: 'POST', path: '/v1/search', body: operation.body }
    case 'delete':
      return { method: 'POST', path: '/v1/units:delete', body: operation.body }
    case 'docs':
    case 'facets':
      return null
  }
}

const contextFields = `principal { principal_id: principalId namespace read_only: readOnly groups }
  active_scope: activeScope requested_scope: requestedScope effective_scopes: effectiveScopes
  allowed_scopes: allowedScopes perms folders_visible: foldersVisible folders_total: foldersTotal`
const unitFields = `unit_id: unitId external_id: externalId scope plane modality text doc_id: docId
  source_uri: sourceUri metadata`
const ownedFields = `${unitFields} acl_owner: aclOwner acl_groups: aclGroups`

function toGraphql(operation: Asked): { query: string; variables: unknown } {
  switch (operation.kind) {
    case 'context':
      return { query: `{ body: context { ${contextFields} } }`, variables: {} }
    case 'namespaces':
      return { query: '{ body: namespaces { namespaces { namespace } count next_cursor: nextCursor } }', variables: {} }
    case 'scopes':
      return { query: '{ body: scopes { scopes { scope namespace parent planes } count } }', variables: {} }
    case 'scope':
      return {
        query: 'query ($scope: String!) { body: scope(scope: $scope) { scope namespace parent planes } }',
        variables: operation,
      }
    case 'units':
      return {
        query: `query ($limit: Int, $cursor: SafeInt) { body: units(limit: $limit, cursor: $cursor) {
          units { ${ownedFields} } hidden_by_acl: hiddenByAcl context { ${contextFields} } next_cursor: nextCursor } }`,
        variables: operation,
      }
    case 'unit':
      return {
        query: `query ($id: String!) { body: unit(unitId: $id) { ${ownedFields} } }`,
        variables: operation,
      }
    case 'search':
      return {
        query: `query ($input: SearchInput!) { body: search(input: $input) {
          hits { ${unitFields} score rank explain { leg rank score } reasons highlights { start end } snippet { text }
            group { value hits { ${unitFields} } } }
          facets { field values { value count } other missing }
          answer { text citations { unit_id: unitId quote start end } abstained }
          trace { planes clamped_planes: clampedPlanes degraded legs { leg candidates } }
          context { ${contextFields} } hidden_by_acl: hiddenByAcl } }`,
        variables: { input: toCamel(operation.body) },
      }
    case 'delete':
      return {
        query: `mutation ($input: DeleteUnitsInput!) { body: deleteUnits(input: $input) {
          matched tombstoned purged sources_purged: sourcesPurged seq } }`,
        variables: { input: toCamel(operation.body) },
      }
    case 'docs':
      return {
        query: `query ($limit: Int, $cursor: SafeInt, $filters: SearchFiltersInput) {
          body: docs(limit: $limit, cursor: $cursor, filters: $filters) { count nextCursor context { ${contextFields} }
          docs { docId unitId title units scopes planes sourceUri } } }`,
        variables: { ...operation, filters: toCamel(operation.filters) },
      }
    case 'facets':
      return {
        query: `query ($input: FacetsInput!) { body: facets(input: $input) { count metadataKeys
          facets { field values { value count } other missing } context { ${contextFields} } } }`,
        variables: { input: { fields: facetFields, filters: toCamel(operation.filters) } },
      }
  }
}

/** Maps field names to GraphQL's; metadata keys are the caller's own and stay unchanged. */
function toCamel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamel)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/_[a-z]/g, (part) => part.slice(1).toUpperCase()),
      key === 'metadata' ? inner : toCamel(inner),
    ]),
  )
}

import { assertScalarType, buildSchema, execute, type GraphQLSchema } from 'graphql'
import { InvalidInputError, notFound, unauthorized, upgradeRequired } from '../../../src/errors.ts'
import { newRecord } from '../../../src/http/request-record.ts'
import type { GraphqlApi } from '../../../src/http/rest/graphql-api.ts'
import { route } from '../../../src/http/rest/route.ts'
import { createShim } from '../../../src/http/rest/shim.ts'

/** The number of parsed vectors, to prove that each is parsed once. */
export const parsed = { vectors: 0 }

function buildTestSchema(): GraphQLSchema {
  const schema = buildSchema(`
    "Epoch milliseconds, counts."
    scalar SafeInt
    "An embedding."
    scalar Vector
    "A flat object."
    scalar Metadata

    enum Modality { text image_region }

    "A piece of content."
    input UnitInput {
      "The text."
      text: String
      modality: Modality
      docId: ID
      "When it starts."
      tStartMs: SafeInt
      weight: Float
      hidden: Boolean
      aclGroups: [String!]
      metadata: Metadata
      vector: Vector
    }
    input IngestInput { units: [UnitInput!]! dryRun: Boolean }
    input Selection @oneOf { ids: [ID!] docId: String }
    input SearchInput { q: String! topK: Int }

    "One stored Unit."
    type Unit {
      "Its id."
      unitId: ID!
      modality: Modality
      text: String
      metadata: Metadata
    }
    type Units { units: [Unit!]! nextCursor: SafeInt }
    type Query {
      health: String!
      whoAmI: String!
      "Finds one Unit."
      unit(id: ID!): Unit
      units(limit: Int, cursor: SafeInt, exact: Boolean): Units!
      search(query: SearchInput!): String!
      fail(how: String!): String
      loop: Units
    }
    type Mutation {
      ingest(input: IngestInput!): Units!
      remove(input: Selection!): Int!
      createScope(scope: String!, readOnlyAgents: Boolean): String!
      hook(payload: String!, signature: String!): String!
    }
  `)
  assertScalarType(schema.getType('Vector')).coerceInputValue = (value) => {
    parsed.vectors += 1
    if (!Array.isArray(value)) throw new TypeError('must be a list of numbers')
    return Float32Array.from(value)
  }
  assertScalarType(schema.getType('Metadata')).coerceInputValue = (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('must be an object')
    return value
  }
  return schema
}

interface UnitIn {
  text?: string
  docId?: string
  metadata?: unknown
}

const unitOf = (input: UnitIn) => ({
  unitId: input.docId ?? 'u1',
  text: input.text ?? null,
  metadata: input.metadata ?? null,
})

const failures: Record<string, () => Error> = {
  tier: () => upgradeRequired('answers need Pro', 'pro'),
  path: () => new InvalidInputError(['filters', 'docId', 0], 'is too long'),
  metadata: () => new InvalidInputError(['units', 3, 'metadata', 'camelKey'], 'is too long'),
  crash: () => new Error('password=hunter2 at /srv/secret'),
}

export interface TestContext {
  name: string
}

export const rootValue = {
  health: 'ok',
  whoAmI: (_: unknown, { name }: TestContext) => name,
  unit({ id }: { id: string }) {
    if (id === 'missing') throw notFound('no such Unit')
    return { unitId: id, modality: 'text', text: 'hello' }
  },
  units: ({ limit, cursor, exact }: { limit?: number; cursor?: number; exact?: boolean }) => ({
    units: [{ unitId: JSON.stringify({ limit, cursor, exact }) }],
    nextCursor: 1_700_000_000_000,
  }),
  search: ({ query }: { query: unknown }) => JSON.stringify(query),
  fail({ how }: { how: string }) {
    throw failures[how]?.() ?? new Error('unknown')
  },
  ingest: ({ input }: { input: { units: UnitIn[] } }) => ({ units: input.units.map(unitOf), nextCursor: null }),
  remove: () => 0,
  createScope: ({ scope }: { scope: string }) => scope,
  hook: ({ payload, signature }: { payload: string; signature: string }) => `${payload}|${signature}`,
}

export const schema = buildTestSchema()

/** Accepts one token; counts nothing, hides nothing. */
export const graphql: GraphqlApi<TestContext> = {
  schema,
  async context({ headers, record }, auth) {
    if (auth === 'none') return { name: 'anyone' }
    if (headers.authorization === 'Bearer good' || headers.cookie !== undefined) {
      if (record) record.principalId = 'ada'
      record?.room?.enter('ada')
      return { name: 'ada' }
    }
    if (auth === 'optional' && headers.authorization === undefined) return { name: 'anyone' }
    throw unauthorized()
  },
  write: async (_context, _sent, act) => ({ value: await act(), text: null }),
  prepare: (document) => async (variableValues, contextValue) =>
    execute({ schema, document, variableValues, contextValue, rootValue }),
}

export const routes = [
  route('GET', '/v1/health', '{ body: health }', undefined, { auth: 'none' }),
  route('GET', '/v1/caller', '{ name: whoAmI }', undefined, { auth: 'optional' }),
  route('GET', '/v1/me', '{ name: whoAmI }'),
  route(
    'GET',
    '/v1/units',
    `query ($limit: Int, $cursor: SafeInt, $exact: Boolean) {
      body: units(limit: $limit, cursor: $cursor, exact: $exact) { units { unit_id: unitId } next_cursor: nextCursor } }`,
    ({ query }) => ({ limit: query.get('limit'), cursor: query.get('cursor'), exact: query.get('exact') }),
  ),
  route('GET', '/v1/units/:id', 'query ($id: ID!) { body: unit(id: $id) { unit_id: unitId modality text } }', (i) => ({
    id: i.params.id,
  })),
  route(
    'POST',
    '/v1/ingest',
    `mutation ($input: IngestInput!) { body: ingest(input: $input) { units { unit_id: unitId text metadata } } }`,
    ({ body }) => ({ input: body }),
  ),
  route('POST', '/v1/units:delete', 'mutation ($input: Selection!) { matched: remove(input: $input) }', ({ body }) => ({
    input: body,
  })),
  route('POST', '/v1/search', 'query ($query: SearchInput!) { body: search(query: $query) }', ({ body }) => ({
    query: body,
  })),
  route(
    'POST',
    '/v1/scopes',
    'mutation ($scope: String!, $readOnlyAgents: Boolean) { scope: createScope(scope: $scope, readOnlyAgents: $readOnlyAgents) }',
    ({ body }) => body,
  ),
  route('GET', '/v1/fail/:how', 'query ($how: String!) { body: fail(how: $how) }', ({ params }) => params),
  route(
    'POST',
    '/v1/hook',
    'mutation ($payload: String!, $signature: String!) { body: hook(payload: $payload, signature: $signature) }',
    ({ raw, headers }) => ({ payload: raw, signature: headers['x-signature'] ?? '' }),
    { auth: 'none', body: 'raw' },
  ),
]

export function recordingLog() {
  const lines: { fields: Readonly<Record<string, unknown>>; message: string }[] = []
  return {
    lines,
    error: (fields: Readonly<Record<string, unknown>>, message: string) => lines.push({ fields, message }),
    warn: () => {},
    info: () => {},
  }
}

export interface Answer {
  status: number
  headers: Readonly<Record<string, string | readonly string[]>>
  body: unknown
}

async function* none() {}

/** A client of the shim: method, target as sent, body as sent. */
export function createClient(options: { allowedOrigins?: string[]; maxBodyBytes?: number } = {}) {
  const log = recordingLog()
  const handler = createShim({ routes, graphql, brand: 'svc', log, ...options })
  async function call(
    method: string,
    target: string,
    body?: unknown,
    headers: Record<string, string> = { authorization: 'Bearer good' },
  ): Promise<Answer> {
    const text = body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body)
    const bytes = body === undefined ? new Uint8Array() : Buffer.from(text)
    const response = await handler({
      method,
      target,
      headers,
      body: async () => bytes,
      chunks: none,
      record: newRecord(),
    })
    return { ...response, body: response.body === '' ? null : JSON.parse(`${response.body}`) }
  }
  return { handler, log, call }
}

export const detailOf = ({ body }: Answer) => (body as { detail: string }).detail

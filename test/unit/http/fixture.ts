import { assertScalarType, buildSchema, type GraphQLSchema } from 'graphql'
import { z } from 'zod'
import { InvalidInputError, notFound, unauthorized, upgradeRequired } from '../../../src/errors.ts'
import { newRecord } from '../../../src/http/message.ts'
import type { GraphqlApi } from '../../../src/http/rest/call.ts'
import { createShim, routesOf } from '../../../src/http/rest/route.ts'

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
    input CreateScopeInput { scope: String! readOnlyAgents: Boolean }

    "One stored Unit."
    type Unit {
      "Its id."
      unitId: ID!
      modality: Modality
      text: String
      metadata: Metadata
    }
    type Units { units: [Unit!]! nextCursor: SafeInt }
    type Caller { name: String! }
    type Removal { matched: Int! }
    type Scope { scope: String! }
    type Query {
      health: String!
      whoAmI: Caller!
      "Finds one Unit."
      unit(id: ID!): Unit
      units(limit: Int, cursor: SafeInt, exact: Boolean): Units!
      search(input: SearchInput!): String!
      fail(how: String!): String
    }
    type Mutation {
      ingest(input: IngestInput!): Units!
      remove(input: Selection!): Removal!
      createScope(input: CreateScopeInput!): Scope!
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
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      field.resolve = (_, args, context: TestContext) => resolvers[field.name]?.(args, context)
    }
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
  tier: () => upgradeRequired('answers require', { name: 'acme', tier: 'free' }, 'pro'),
  path: () => new InvalidInputError(['filters', 'docId', 0], 'is too long'),
  metadata: () => new InvalidInputError(['units', 3, 'metadata', 'camelKey'], 'is too long'),
  crash: () => new Error('password=hunter2 at /srv/secret'),
}

export interface TestContext {
  name: string
}

// biome-ignore lint/suspicious/noExplicitAny: each resolver has arguments of its own
const resolvers: Record<string, (args: any, context: TestContext) => unknown> = {
  health: () => 'ok',
  whoAmI: (_, { name }) => ({ name }),
  unit({ id }: { id: string }) {
    if (id === 'missing') throw notFound('no such Unit')
    return { unitId: id, modality: 'text', text: 'hello' }
  },
  units: ({ limit, cursor, exact }: { limit?: number; cursor?: number; exact?: boolean }) => ({
    units: [{ unitId: JSON.stringify({ limit, cursor, exact }) }],
    nextCursor: 1_700_000_000_000,
  }),
  search: ({ input }: { input: unknown }) => JSON.stringify(input),
  fail({ how }: { how: string }) {
    throw failures[how]?.() ?? new Error('unknown')
  },
  ingest: ({ input }: { input: { units: UnitIn[] } }) => ({ units: input.units.map(unitOf), nextCursor: null }),
  remove: () => ({ matched: 0 }),
  createScope: ({ input }: { input: { scope: string } }) => input,
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
}

/** No types: only that it is there makes a body of it. */
const input = z.unknown()

export const routes = routesOf({
  health: { rest: { route: 'GET /v1/health', auth: 'none' } },
  whoAmI: { rest: [{ route: 'GET /v1/caller', auth: 'optional' }, { route: 'GET /v1/me' }] },
  units: {
    rest: {
      route: 'GET /v1/units',
      args: { limit: '?limit', cursor: '?cursor', exact: '?exact' },
      answer: 'units { unit_id } next_cursor',
    },
  },
  unit: { rest: { route: 'GET /v1/units/:id', answer: 'unit_id modality text' } },
  ingest: {
    input,
    rest: {
      route: 'POST /v1/ingest',
      answer: 'units { unit_id text metadata }',
      example: { units: [{ text: 'hi' }] },
    },
  },
  remove: { input, rest: { route: 'POST /v1/units:delete', answer: 'matched' } },
  search: { input, rest: { route: 'POST /v1/search' } },
  createScope: { input, rest: { route: 'POST /v1/scopes', answer: 'scope' } },
  fail: { rest: { route: 'GET /v1/fail/:how' } },
  hook: {
    rest: {
      route: 'POST /v1/hook',
      args: { payload: 'raw', signature: { header: 'X-Signature', required: true, description: 'Over the body.' } },
      auth: 'none',
      body: 'raw',
    },
  },
})

/** What answers show of types. */
export const shapes = { Caller: 'name' }

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
  const handler = createShim({ routes, shapes, graphql, brand: 'svc', log, ...options })
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

import { readFileSync } from 'node:fs'
import { type GraphQLArgument, type GraphQLInputObjectType, getNamedType, isRequiredArgument } from 'graphql'
import { type ErrorCode, errorTable } from '../../errors.ts'
import { maxPathLength, scopePatternPattern } from '../../model/registry.ts'
import {
  afterSeqHeader,
  namespaceHeader,
  scopeHeader,
  seqHeader,
  sessionCookie,
  tokenPrefix,
} from '../../model/request.ts'
import type { Shown } from './call.ts'
import { toWireName } from './input.ts'
import {
  answerSchema,
  type Components,
  described,
  inputSchema,
  type JsonSchema,
  objectOf,
  withBounds,
} from './openapi-types.ts'
import { followsSeq, namesCaller, prepareRoute, type Route, type RouteCall, takesKey } from './route.ts'

/** An OpenAPI 3.1 document of the REST API: paths from the routes, shapes and descriptions from the GraphQL schema. */
export function openapi(
  routes: readonly Route[],
  shown: Shown,
  { version, brand }: { version: string; brand: string },
) {
  const components: Components = new Map()
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const operation of routes.map((route) => prepareRoute(route, shown))) {
    const { template, route } = operation
    paths[template] ??= {}
    paths[template][route.method.toLowerCase()] = describeOperation(operation, shown, brand, components)
  }
  return {
    openapi: '3.1.0',
    ...about(version),
    security: [{ bearer: [] }, { session: [] }],
    paths,
    components: {
      schemas: { Error: errorSchema, BillingEvent: billingEvent, ...Object.fromEntries(components) },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: `An API token, \`${tokenPrefix(brand)}…\`.` },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie(brand) },
      },
    },
  }
}

/** What the document says about the whole API. */
const about = (version: string) => ({
  info: {
    title: 'Multimodal retrieval',
    version,
    summary: 'Hybrid search and cited answers over Units of four planes.',
    description:
      'Every operation works in one namespace and scope, and reaches only the Units that its caller may read. Each route runs a GraphQL operation of `/graphql`. Every error is an `Error`.',
    contact: { name: 'The operator of this service' },
    // Generators write the name where packages want an SPDX expression.
    license: { name: 'LicenseRef-UNLICENSED', identifier: 'LicenseRef-UNLICENSED' },
  },
  servers: [{ url: '/', description: 'The origin that serves this document.' }],
  tags: tags.map(({ name, description }) => ({ name, description })),
})

/** Subjects, and the first segments of the routes that belong to them. */
const tags = [
  { name: 'Service', description: 'The state of the service, and who is calling.', segments: ['health', 'context'] },
  { name: 'Search', description: 'Search, and answers with citations.', segments: ['search', 'answer'] },
  { name: 'Units', description: 'Pieces of content.', segments: ['units', 'ingest', 'units:delete'] },
  {
    name: 'Index',
    description: 'Statistics, and how the indexes follow the catalog.',
    segments: ['catalog', 'compaction'],
  },
  {
    name: 'Access',
    description: 'Namespaces, scopes, grants and principals.',
    segments: ['scopes', 'namespaces', 'grants', 'principals'],
  },
  { name: 'Audit', description: 'The tamper-evident audit log.', segments: ['audit'] },
  { name: 'Billing', description: 'Tiers and payments.', segments: ['billing'] },
  { name: 'Reports', description: 'Published reports on quality.', segments: ['benchmarks', 'eval'] },
  { name: 'Demo', description: 'The demo data.', segments: ['admin'] },
]

/** The subject of a route. What belongs to no other is of the service. */
function tagOf({ path }: Route): string {
  const segment = path.split('/')[2] ?? ''
  return tags.find(({ segments }) => segments.includes(segment))?.name ?? 'Service'
}

/** The first sentence of a description that says what the route does, without its full stop. */
function headline(description: string): string {
  const [sentence = ''] = description.replace(/^Public\. /, '').split(/\.(?: |$)/)
  return sentence
}

/** Errors for a head that was not fully read, so the route is unknown. */
const ofHeads: ErrorCode[] = ['request_timeout', 'uri_too_long', 'expectation_failed', 'headers_too_large']

const errorSchema: JsonSchema = {
  type: 'object',
  description: `Any request may also be refused before its route is known: ${ofHeads
    .map((code) => `${errorTable[code].status} \`${code}\` (${errorTable[code].when})`)
    .join(', ')}`,
  properties: {
    error: { type: 'string', enum: Object.keys(errorTable), description: 'The machine code.' },
    detail: { type: 'string', description: 'The human-readable reason.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    required_tier: { type: 'string', description: 'On 402: the tier that allows it.' },
  },
  required: ['error', 'detail', 'status'],
}

/** Answers of the routes, as a test recorded them. */
const answersFile = new URL('openapi-answers.json', import.meta.url)
let answers: Readonly<Record<string, object>> | undefined

function describeOperation(operation: RouteCall, shown: Shown, brand: string, components: Components) {
  const { route, template } = operation
  const body = requestBody(operation, components)
  answers ??= JSON.parse(readFileSync(answersFile, 'utf8')) as Record<string, object>
  const example = answers[`${route.method} ${template}`]
  const answer = { schema: answerSchema(operation, shown, components), ...(example && { example }) }
  const description = operation.field.description || route.path
  return {
    operationId: operationId(route),
    tags: [tagOf(route)],
    summary: headline(description),
    description,
    ...securityOf(route),
    parameters: [
      ...urlParameters(operation, components),
      ...ownHeaders(route),
      ...requestHeaders(operation, brand),
      ...(namesCaller(route) ? contextHeaders(brand) : []),
    ],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      200: {
        description: 'Success.',
        ...headersOf(operation, brand),
        content: { 'application/json': answer, ...eventsOf(route) },
      },
      ...(route.tagged
        ? { 304: { description: 'The caller has this answer already.', ...headersOf(operation, brand) } }
        : {}),
      ...errorResponses(operation),
    },
  }
}

/** For a caller that asks for them, the events that lead to the answer. */
const eventsOf = ({ events }: Route): JsonSchema =>
  events === undefined
    ? {}
    : {
        'text/event-stream': {
          schema: {
            type: 'string',
            description:
              'With `Accept: text/event-stream`: `hits` (the answer is null), each `sentence`, and `done` with the JSON of the other form. `error` is the last event of one that fails.',
          },
        },
      }

function securityOf({ auth }: Route): JsonSchema {
  if (auth === 'required') return {}
  if (auth === 'optional') return { security: [{}, { bearer: [] }] }
  return { security: auth === 'own' ? [{ bearer: [] }] : [] }
}

/** `GET /v1/units/:id` -> `get_units_id`. */
function operationId({ method, path }: Route): string {
  return [method.toLowerCase(), ...path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'v1')].join('_')
}

/** Parameters of the path and of the query. */
function urlParameters({ route, inputs }: RouteCall, components: Components): JsonSchema[] {
  return inputs.flatMap(({ argument, wireName: name }) => {
    const source = route.args[argument.name]
    if (typeof source === 'object' && 'query' in source) return source.query.map((one) => fieldParameter(argument, one))
    if (typeof source !== 'string') return []
    if (source.startsWith(':')) {
      const schema = withBounds({ type: 'string', minLength: 1 }, argument)
      return [{ name, in: 'path', required: true, description: 'URL-encoded: one segment.', schema }]
    }
    if (!source.startsWith('?')) return []
    const schema = withBounds(inputSchema(argument.type, components), argument)
    return [{ name, in: 'query', required: isRequiredArgument(argument), ...described(argument), schema }]
  })
}

/** A field of an object that comes from parameters: a text, or several of which any may match. */
function fieldParameter({ type }: GraphQLArgument, name: string): JsonSchema {
  const fields = (getNamedType(type) as GraphQLInputObjectType).getFields()
  const field = Object.values(fields).find((one) => toWireName(one.name) === name)
  const items = { type: 'string', minLength: 1, ...objectOf(field?.extensions.text) }
  return { name, in: 'query', ...(field && described(field)), schema: { type: 'array', items } }
}

/** Headers that only this route reads. The route's security describes a credential. */
function ownHeaders({ args }: Route): JsonSchema[] {
  return Object.values(args).flatMap((source) => {
    if (typeof source === 'string' || 'query' in source) return []
    const { header, required, description } = source
    return [{ name: header, in: 'header', required, description, schema: { type: 'string', minLength: 1 } }]
  })
}

function contextHeaders(brand: string): JsonSchema[] {
  // Without a value they are refused: an empty one must not widen the request.
  const schema = { type: 'string', minLength: 1 }
  const scopeSchema = { ...schema, maxLength: maxPathLength, pattern: scopePatternPattern.source }
  const scope = 'The scope to work in; `*` for all that is allowed. By default the active scope.'
  return [
    { name: scopeHeader(brand), in: 'header', description: scope, schema: scopeSchema },
    { name: namespaceHeader(brand), in: 'header', description: 'The namespace to work in, if not the home.', schema },
    { name: 'scope', in: 'query', description: 'As the scope header, which wins.', schema: scopeSchema },
  ]
}

/** The only raw body. */
const webhookBody = {
  schema: { $ref: '#/components/schemas/BillingEvent' },
  example: { id: 'evt_1', type: 'customer.subscription.updated', data: { object: {} } },
}

const billingEvent: JsonSchema = {
  type: 'object',
  description: 'An event of Stripe, byte for byte as it was signed. Other fields are as Stripe documents them.',
  properties: {
    id: { type: 'string', description: 'The id of the event.' },
    type: { type: 'string', description: 'What happened.' },
    data: { type: 'object', description: 'What it happened to.' },
  },
}

function requestBody({ route, inputs }: RouteCall, components: Components): JsonSchema | undefined {
  if (route.body === 'none') return undefined
  if (route.body === 'raw') return { required: true, content: { 'application/json': webhookBody } }
  const whole = inputs.find(({ argument }) => route.args[argument.name] === 'body')
  const schema = whole
    ? inputSchema(whole.argument.type, components)
    : { type: 'object', properties: {}, additionalProperties: false }
  const { example } = route
  return {
    required: route.body === 'required',
    content: { 'application/json': { schema, ...(example && { example }) } },
  }
}

/** Under `/api/auth` alone. */
const ofSignIn: ErrorCode[] = ['mail_not_configured']

const ofBilling: ErrorCode[] = [
  'invalid_signature',
  'billing_not_configured',
  'billing_unavailable',
  'webhook_not_configured',
]

/** No route embeds for its caller alone. */
const ofModels: ErrorCode[] = ['inference_unavailable']

/** No route uploads or serves sources. */
const ofUploads: ErrorCode[] = ['source_store_unavailable', 'range_not_satisfiable']

/** An unknown method is 404 here, and media types are not checked. */
const ofGraphql: ErrorCode[] = ['method_not_allowed', 'not_acceptable', 'persisted_query_not_found', 'persisted_only']

const ofBodies: ErrorCode[] = ['unsupported_media_type']

const ofKeys: ErrorCode[] = ['idempotency_key_reused', 'idempotency_in_progress']

/** Every route can answer with the errors of the table; a route without authentication has fewer. */
function errorResponses(operation: RouteCall): Record<string, JsonSchema> {
  const { route } = operation
  const ofCallers: ErrorCode[] = ['forbidden', 'upgrade_required', 'quota_exceeded', 'rate_limited']
  const never: ErrorCode[] = [
    ...ofHeads,
    ...ofGraphql,
    ...ofUploads,
    ...ofModels,
    ...ofSignIn,
    ...(namesCaller(route) ? [] : ofCallers),
    ...(route.body === 'none' ? ofBodies : []),
    ...(takesKey(operation) ? [] : ofKeys),
    ...(followsSeq(route) ? [] : (['not_indexed_yet'] as const)),
    ...(route.auth === 'none' ? (['unauthorized'] as const) : []),
    ...(route.path.startsWith('/v1/billing/') ? [] : ofBilling),
  ]
  const responses: Record<string, JsonSchema> = {}
  const examples: Record<string, object> = {}
  for (const [code, { status, when }] of Object.entries(errorTable)) {
    if (never.some((other) => other === code)) continue
    const known = responses[status]?.description
    const tier = code === 'upgrade_required' ? { required_tier: 'pro' } : {}
    examples[status] ??= { error: code, detail: when, status, ...tier }
    responses[status] = {
      description: `${known === undefined ? '' : `${known} `}\`${code}\`: ${when}`,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: examples[status] } },
    }
  }
  return responses
}

/** The headers of HTTP that a route reads, as parameters. One of them may come in the query, too. */
function requestHeaders(operation: RouteCall, brand: string): JsonSchema[] {
  const headers: JsonSchema[] = []
  if (operation.route.tagged) {
    headers.push(
      parameter('If-None-Match', 'Tags of answers that the caller has, or `*`. If one matches, the answer is 304.'),
    )
  }
  if (takesKey(operation)) {
    headers.push(
      parameter('Idempotency-Key', 'With the same key the same request has one effect and one answer, for 24 hours.', {
        type: 'string',
        minLength: 1,
        maxLength: 257,
        pattern: '^[!-~]+$',
      }),
    )
  }
  if (followsSeq(operation.route)) {
    const description = 'Waits until this service holds all changes of the namespace up to this seq.'
    const schema = { type: 'integer', format: 'int64', minimum: 0 }
    headers.push(parameter(afterSeqHeader(brand), description, schema))
    headers.push({ name: 'after_seq', in: 'query', description: 'As the header, which wins.', schema })
  }
  return headers
}

/** The headers of a route's successful answer. */
function headersOf(operation: RouteCall, brand: string): { headers?: Record<string, JsonSchema> } {
  const headers: Record<string, JsonSchema> = {}
  if (operation.route.tagged) headers.ETag = headerOf('The tag of this answer (weak): it changes with the content.')
  if (operation.isWrite && namesCaller(operation.route)) {
    headers[seqHeader(brand)] = headerOf('A seq of the targeted namespace that includes this write.', {
      type: 'integer',
    })
  }
  if (takesKey(operation)) {
    headers['Idempotency-Replayed'] = headerOf('`true` for the answer of an earlier request with this key.')
  }
  return Object.keys(headers).length === 0 ? {} : { headers }
}

const parameter = (name: string, description: string, schema: JsonSchema = { type: 'string' }): JsonSchema => ({
  name,
  in: 'header',
  description,
  schema,
})

const headerOf = (description: string, schema: JsonSchema = { type: 'string' }): JsonSchema => ({ description, schema })

import type { GraphQLSchema } from 'graphql'
import { type ErrorCode, errorTable } from '../../errors.ts'
import { namespaceHeader, scopeHeader, sessionCookie, tokenPrefix } from '../../model/brand.ts'
import type { VariableType } from './input.ts'
import { toWireName } from './names.ts'
import { about, headline, tagOf } from './openapi-about.ts'
import { answerSchema, summaryOf } from './openapi-answer.ts'
import { exampleAnswerOf } from './openapi-answers.ts'
import { exampleOf } from './openapi-examples.ts'
import { followsSeq, headersOf, requestHeaders, takesKey } from './openapi-headers.ts'
import { type Components, described, inputSchema, type JsonSchema, withBounds } from './openapi-types.ts'
import { type Operation, prepare } from './operation.ts'
import { namesCaller, pathTemplate, type Route } from './route.ts'

/** An OpenAPI 3.1 document of the REST API: paths from the routes, shapes and descriptions from the GraphQL schema. */
export function openapi(
  routes: readonly Route[],
  schema: GraphQLSchema,
  { version, brand }: { version: string; brand: string },
) {
  const components: Components = new Map()
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const operation of routes.map((route) => prepare(route, schema))) {
    const path = pathTemplate(operation.route.path)
    paths[path] ??= {}
    paths[path][operation.route.method.toLowerCase()] = describeOperation(operation, schema, brand, components)
  }
  return {
    openapi: '3.1.0',
    ...about(version),
    security: [{ bearer: [] }, { session: [] }],
    paths,
    components: {
      schemas: { Error: errorSchema, ...Object.fromEntries(components) },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: `An API token, \`${tokenPrefix(brand)}…\`.` },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie(brand) },
      },
    },
  }
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

function describeOperation(operation: Operation, schema: GraphQLSchema, brand: string, components: Components) {
  const { route } = operation
  const body = requestBody(operation, components)
  const example = exampleAnswerOf(route)
  const answer = { schema: answerSchema(operation, schema), ...(example && { example }) }
  const description = summaryOf(operation, schema)
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
      200: { description: 'Success.', ...headersOf(operation, brand), content: { 'application/json': answer } },
      ...(route.tagged
        ? { 304: { description: 'The caller has this answer already.', ...headersOf(operation, brand) } }
        : {}),
      ...errorResponses(operation),
    },
  }
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

/** Path parameters. For a route without a body, all other variables are query parameters. */
function urlParameters({ route, variables }: Operation, components: Components): JsonSchema[] {
  const inPath = [...route.path.matchAll(/\/:(\w+)/g)].map((match) => match[1] ?? '')
  const parameters: JsonSchema[] = inPath.map((name) => ({
    name,
    in: 'path',
    required: true,
    description: 'URL-encoded: one segment.',
    schema: withBounds({ type: 'string' }, argumentOf(variables.find((one) => toWireName(one.name) === name))),
  }))
  if (route.body !== 'none') return parameters
  for (const variable of variables) {
    const name = toWireName(variable.name)
    const { type, required } = variable
    if (!inPath.includes(name) && !(name in route.headers)) {
      const argument = argumentOf(variable)
      const schema = withBounds(inputSchema(type, components), argument)
      parameters.push({ name, in: 'query', required, ...described(argument), schema })
    }
  }
  return parameters
}

const argumentOf = (variable: VariableType | undefined) => variable?.argument ?? { description: null, extensions: {} }

/** Headers that only this route reads. The route's security describes a credential. */
function ownHeaders({ headers }: Route): JsonSchema[] {
  return Object.values(headers).flatMap((source) => {
    if (source === 'credential') return []
    const { header, required, description } = source
    return [{ name: header, in: 'header', required, description, schema: { type: 'string' } }]
  })
}

function contextHeaders(brand: string): JsonSchema[] {
  // Without a value they do not count.
  const schema = { type: 'string' }
  const scope = 'The scope to work in; `*` for all that is allowed. By default the active scope.'
  return [
    { name: scopeHeader(brand), in: 'header', description: scope, schema },
    { name: namespaceHeader(brand), in: 'header', description: 'The namespace to work in, if not the home.', schema },
    { name: 'scope', in: 'query', description: 'As the scope header, which wins.', schema },
  ]
}

function requestBody({ route, variables }: Operation, components: Components): JsonSchema | undefined {
  if (route.body === 'none') return undefined
  const required = route.body === 'required'
  if (route.body === 'raw') return { required: true, content: { '*/*': { schema: { type: 'string' } } } }
  const whole = variables.find((variable) => variable.name === 'input')
  const example = exampleOf(route)
  const sent = (schema: JsonSchema) => ({
    required,
    content: { 'application/json': { schema, ...(example && { example }) } },
  })
  if (whole) return sent(inputSchema(whole.type, components))
  const properties = Object.fromEntries(
    variables.map((variable) => {
      const argument = argumentOf(variable)
      const schema = withBounds(inputSchema(variable.type, components), argument)
      return [toWireName(variable.name), { ...schema, ...described(argument) }]
    }),
  )
  const needed = variables.filter((variable) => variable.required).map((variable) => toWireName(variable.name))
  const schema = {
    type: 'object',
    properties,
    additionalProperties: false,
    ...(needed.length > 0 && { required: needed }),
  }
  return sent(schema)
}

/** Under `/api/auth` alone. */
const ofSignIn: ErrorCode[] = ['mail_not_configured']

const ofBilling: ErrorCode[] = [
  'invalid_signature',
  'billing_not_configured',
  'billing_unavailable',
  'webhook_not_configured',
]

/** No route uploads or serves sources. */
const ofUploads: ErrorCode[] = ['source_store_unavailable', 'range_not_satisfiable']

/** An unknown method is 404 here, and media types are not checked. */
const ofGraphql: ErrorCode[] = ['method_not_allowed', 'not_acceptable', 'persisted_query_not_found', 'persisted_only']

const ofBodies: ErrorCode[] = ['unsupported_media_type']

const ofKeys: ErrorCode[] = ['idempotency_key_reused', 'idempotency_in_progress']

/** Every route can answer with the errors of the table; a route without authentication has fewer. */
function errorResponses(operation: Operation): Record<string, JsonSchema> {
  const { route } = operation
  const ofCallers: ErrorCode[] = ['forbidden', 'upgrade_required', 'quota_exceeded', 'rate_limited']
  const never: ErrorCode[] = [
    ...ofHeads,
    ...ofGraphql,
    ...ofUploads,
    ...ofSignIn,
    ...(namesCaller(route) ? [] : ofCallers),
    ...(route.body === 'none' ? ofBodies : []),
    ...(takesKey(operation) ? [] : ofKeys),
    ...(followsSeq(operation) ? [] : (['not_indexed_yet'] as const)),
    ...(route.auth === 'none' ? (['unauthorized'] as const) : []),
    ...(route.path.startsWith('/v1/billing/') ? [] : ofBilling),
  ]
  const responses: Record<string, JsonSchema> = {}
  for (const [code, { status, when }] of Object.entries(errorTable)) {
    if (never.some((other) => other === code)) continue
    const known = responses[status]?.description
    responses[status] = {
      description: `${known === undefined ? '' : `${known} `}\`${code}\`: ${when}`,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    }
  }
  return responses
}

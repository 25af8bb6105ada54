import type { z } from 'zod'
import { badRequest, forbidden, ServiceError, unauthorized } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import { covers } from '../../model/registry.ts'
import type { RequestFacts } from '../../model/request.ts'
import { scopeHeader } from '../../model/request.ts'
import { titleOf } from '../../model/unit.ts'
import { type HttpRequest, requestIdOf, splitTarget } from '../message.ts'
import { baseOf, credentialOf } from '../origin.ts'
import {
  type Call,
  type CallPlan,
  type GraphqlApi,
  inWireNames,
  prepareCall,
  prepareStream,
  type Stream,
  wholeBody,
} from './call.ts'

/** What a surface needs of the service: an API of someone else, over the operations of REST. */
export interface SurfaceOptions<Context> {
  graphql: GraphqlApi<Context>
  /** What answers show of types. */
  shapes: Readonly<Record<string, string>>
  brand: string
  /** Where the service is reached; null: where the request came to. */
  publicOrigin: string | null
  allowedOrigins: readonly string[]
  /** Whether Units have a page that a browser opens. */
  hasConsole: boolean
  /** Epoch milliseconds. */
  now(): number
  log: Log
}

/** Who calls: it runs operations under its own rights. */
export interface SurfaceCaller<Context = unknown> {
  context: Context
  brand: string
  requestId: string
  /** Epoch milliseconds. */
  now: number
  /** The scope that the request names; `*` if it names none. */
  scope: string
  /** The address of a Unit that a browser opens. */
  urlOf(unitId: string): string
  /** The operation with values in the names of REST. Its audit rows name the surface. `key`: see the header Idempotency-Key. */
  run<Result>(operation: string, wire: Readonly<Record<string, unknown>>, key?: string): Promise<Result>
  /** The events of a subscription. */
  stream<Event>(operation: string, wire: Readonly<Record<string, unknown>>): AsyncGenerator<Event>
  /** The same caller within a scope that its own selectors leave. */
  within(scope: string | undefined): Promise<SurfaceCaller<Context>>
  /** The same request with these rights. */
  as(context: Context): SurfaceCaller<Context>
}

type Plans = Readonly<Record<string, CallPlan>>

/** The calls of a surface. `via` names it in audit rows. Only a bearer credential counts. */
export function createSurface<Context>(
  options: SurfaceOptions<Context>,
  { via, calls, streams = {} }: { via: string; calls: Plans; streams?: Plans },
) {
  const { graphql, shapes, brand, publicOrigin, hasConsole, now } = options
  // At the first request: who does not use the surface does not pay for it.
  let made: ReturnType<typeof make> | undefined
  const prepared = () => {
    made ??= make()
    return made
  }
  const make = () => {
    const shown = { schema: graphql.schema, shapes }
    const entries = <T>(plans: Plans, prepare: (plan: CallPlan) => T) =>
      new Map(Object.entries(plans).map(([name, plan]) => [name, prepare(plan)]))
    return {
      calls: entries<Call>(calls, (plan) => prepareCall(shown, plan)),
      streams: entries<Stream>(streams, (plan) => prepareStream(shown, plan)),
    }
  }

  const callerIn = (facts: RequestFacts, base: string, context: Context): SurfaceCaller<Context> => ({
    context,
    brand,
    requestId: facts.requestId,
    now: now(),
    scope: scopeOf(facts, brand) ?? '*',
    urlOf: (unitId) => unitUrl(base, unitId, hasConsole),
    run: async <Result>(operation: string, wire: Readonly<Record<string, unknown>>, key?: string) => {
      const call = prepared().calls.get(operation)
      if (!call) throw new Error(`${via} has no call ${operation}`)
      const act = () => call.run(sentTo(calls[operation], wire), context)
      if (!call.isWrite) return (await act()) as Result
      const stands = [via, operation, scopeOf(facts, brand) ?? '', JSON.stringify(wire)]
      const sent = key === undefined ? null : { key, credential: credentialOf(facts.headers, brand), request: stands }
      const { value, text } = await graphql.write(context, sent, act, async (answer) => JSON.stringify(answer))
      return (text === null ? value : JSON.parse(text)) as Result
    },
    stream: <Event>(operation: string, wire: Readonly<Record<string, unknown>>) => {
      const stream = prepared().streams.get(operation)
      if (!stream) throw new Error(`${via} has no stream ${operation}`)
      return stream(sentTo(streams[operation], wire), context) as AsyncGenerator<Event>
    },
    within: async (scope) => {
      if (scope === undefined) return callerIn(facts, base, context)
      const chosen = narrowed(facts, brand, scope)
      return callerIn(chosen, base, await graphql.context(chosen, 'required'))
    },
    as: (other) => callerIn(facts, base, other),
  })

  /** Finds out who is calling. Throws 401 without a bearer token. `scope` is one that the path names. */
  return async (request: HttpRequest, operation: string, scope?: string): Promise<SurfaceCaller<Context>> => {
    const { authorization, cookie: _, ...headers } = request.headers
    if (!/^bearer\s/i.test(authorization ?? '')) throw unauthorized()
    const given: RequestFacts = {
      headers: { ...headers, authorization: authorization ?? '' },
      query: new URLSearchParams(splitTarget(request.target).query),
      requestId: requestIdOf(request.headers),
      operation,
      via,
      wholeLists: true,
      followsSeq: true,
      record: request.record,
    }
    const facts = scope === undefined ? given : narrowed(given, brand, scope)
    return callerIn(facts, baseOf(request, publicOrigin), await graphql.context(facts, 'required'))
  }
}

/** As a call takes it: fields of their own, or the whole body. */
const sentTo = (plan: CallPlan | undefined, wire: Readonly<Record<string, unknown>>) =>
  Object.values(plan?.args ?? {}).includes(wholeBody) ? { [wholeBody]: wire } : wire

const scopeOf = ({ headers, query }: RequestFacts, brand: string): string | null =>
  headers[scopeHeader(brand).toLowerCase()] ?? query.get('scope')

/** The same request within a scope that its own selectors leave. */
function narrowed(facts: RequestFacts, brand: string, scope: string): RequestFacts {
  const header = scopeHeader(brand).toLowerCase()
  const given = scopeOf(facts, brand)
  if (given !== null && !covers(given, scope)) throw forbidden(`scope: must be ${given} or below`)
  const query = new URLSearchParams(facts.query)
  query.delete('scope')
  return { ...facts, headers: { ...facts.headers, [header]: scope }, query }
}

/** The call, whose refusal of the field `ours`, or of a part of it, names `theirs`, which the client sent. */
export const calling = <Result>(ours: string, theirs: string, call: Promise<Result>): Promise<Result> =>
  call.catch((error: unknown) => {
    const named = inWireNames(error)
    if (!(named instanceof ServiceError && named.status === 400 && named.detail.startsWith(ours))) throw error
    const rest = named.detail.slice(ours.length)
    throw /^[:.[]/.test(rest) ? badRequest(`${theirs}${rest}`.replace(/^(?:\.|: )/, '')) : error
  })

/** Throws a 400 that names the first wrong field. `unknown` is said of one that the schema does not have. */
export function readInput<S extends z.ZodType>(
  schema: S,
  sent: unknown,
  { whole = 'the body', unknown = 'must be left out: there is no such field' } = {},
): z.output<S> {
  const result = schema.safeParse(sent, { reportInput: true })
  if (result.success) return result.data
  const [issue] = result.error.issues
  const path = [...(issue?.path ?? []), ...(issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [])]
  const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  const isMissing = issue?.code === 'invalid_type' && issue.input === undefined
  const problem = issue?.code === 'unrecognized_keys' ? unknown : isMissing ? 'is required' : issue?.message
  throw badRequest(`${place.replace(/^\./, '') || whole}: ${problem}`)
}

/** A hit or a Unit, as surfaces read it. */
export interface Found {
  unit_id: string
  external_id: string | null
  title: string | null
  text: string | null
  scope: string
  plane: string
  modality: string
  doc_id: string | null
  source_uri: string | null
  mime: string | null
  locator: Record<string, unknown> | null
  metadata: Record<string, unknown>
  created_at: number
  score?: number
  rank?: number
  snippet?: { text: string } | null
  group?: { value: unknown; hits: Found[] } | null
}

/** One line: the Unit's title, else what else names it. */
export const nameOf = ({ unit_id, external_id, doc_id, ...unit }: Found): string =>
  titleOf({ ...unit, unitId: unit_id, externalId: external_id, docId: doc_id })

/** The address of a Unit in the service; never what its writer names as its source. */
const unitUrl = (base: string, unitId: string, hasConsole: boolean): string =>
  `${base}${hasConsole ? '/view?unit=' : '/v1/units/'}${encodeURIComponent(unitId)}`

/** How many tokens a text takes for a model, at most, about. */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3)

const columns = [
  'doc_id',
  'external_id',
  'source_uri',
  'modality',
  'plane',
  'mime',
  'acl_owner',
  'created_at',
  'updated_at',
]

/** A condition of REST on what other APIs call an attribute: a field of Units, else a path of their metadata. */
export const conditionOn = (attribute: string, condition: unknown): Record<string, unknown> =>
  columns.includes(attribute) ? { [attribute]: condition } : { metadata: { [attribute]: condition } }

import type { Auth } from '../../model/request-facts.ts'
import { type Call, prepareCall, wholeBody } from './call.ts'
import type { Shown } from './shape.ts'

export type Method = 'GET' | 'POST' | 'DELETE'

/**
 * Where an argument comes from: `:id` is a parameter of the path, `?limit` one of the query, `body` the whole JSON body,
 * `raw` the body as text, `credential` the bearer token.
 */
export type ArgumentSource =
  | `:${string}`
  | `?${string}`
  | 'body'
  | 'raw'
  | 'credential'
  | { header: string; required: boolean; description: string }

/** One endpoint, as data: a call of a root field. */
export interface Endpoint {
  method: Method
  /** Literal segments and `:name` parameters: `/v1/units/:id`, `/v1/units:delete`. */
  path: string
  /** The root field. Its arguments are those in `args` alone: the contract does not grow with the schema. */
  field: string
  args?: Readonly<Record<string, ArgumentSource>>
  /** What the answer shows, see `CallPlan` of call.ts. */
  answer?: string
  /** Default: `required`. */
  auth?: Auth
  /**
   * Default: `required` for POST, `none` otherwise. Without a body (`none`), arguments are parsed by their types. `raw`
   * is any bytes.
   */
  body?: 'none' | 'optional' | 'required' | 'raw'
  /** A body that the route accepts. A test sends it. */
  example?: object
  /** Refused for pages of other origins, with any credential. */
  ownOrigin?: boolean
  /** The answer has whole lists, not pages of them. */
  wholeLists?: boolean
  /** The answer is one thing: it has a tag, by which a caller asks whether it has changed. */
  tagged?: boolean
}

export type Route = Endpoint & Required<Pick<Endpoint, 'args' | 'auth' | 'body'>>

export const routeOf = (endpoint: Endpoint): Route => ({
  args: {},
  auth: 'required',
  body: endpoint.method === 'POST' ? 'required' : 'none',
  ...endpoint,
})

/** Whether the credential identifies the caller, which decides what the request may access. */
export const namesCaller = ({ auth }: Pick<Route, 'auth'>) => auth === 'required' || auth === 'optional'

/** `/v1/units/:id` -> `/v1/units/{id}`. */
export const pathTemplate = (path: string) => path.replace(/\/:(\w+)/g, '/{$1}')

/** A route, and the call that it makes. */
export interface Operation extends Call {
  route: Route
  /** `GET /v1/units/:id`. */
  name: string
  /** `/v1/units/{id}`. */
  template: string
}

/** Throws for a route that does not fit the schema. */
export function prepareRoute(route: Route, shown: Shown): Operation {
  const { method, path, field, answer } = route
  const args = Object.fromEntries(Object.entries(route.args).map(([name, source]) => [name, wireNameOf(name, source)]))
  const name = `${method} ${path}`
  return { ...prepareCall(shown, { field, args, answer }), route, name, template: pathTemplate(path) }
}

/** Whether a route reads the header Idempotency-Key. */
export const takesKey = ({ route, isWrite }: Operation): boolean =>
  isWrite && route.method === 'POST' && namesCaller(route)

const searches = ['/v1/search', '/v1/answer']

/** Whether a route waits for the seq that its caller names. */
export const followsSeq = (route: Route): boolean =>
  namesCaller(route) && (route.method === 'GET' || searches.includes(route.path))

function wireNameOf(name: string, source: ArgumentSource): string {
  if (source === 'body') return wholeBody
  return typeof source === 'string' && /^[:?]/.test(source) ? source.slice(1) : name
}

/** A request, as a route reads it. */
export interface RouteInput {
  /** Decoded. */
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  headers: Readonly<Record<string, string>>
  /** `{}` when the request has none. */
  body: Readonly<Record<string, unknown>>
  /** The body as text, for a route with `body: 'raw'`; otherwise empty. */
  raw: string
}

/** The values that a request sends for the arguments of a route, in wire names; `null` and `undefined` are not sent. */
export function valuesOf({ args }: Route, input: RouteInput): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  let takesBody = false
  for (const [name, source] of Object.entries(args)) {
    values[wireNameOf(name, source)] = valueFrom(source, input)
    if (source === 'body') takesBody = true
  }
  // Fields that no argument takes are unknown ones.
  return takesBody ? values : { ...input.body, ...values }
}

function valueFrom(source: ArgumentSource, { params, query, headers, body, raw }: RouteInput): unknown {
  if (source === 'body') return body
  if (source === 'raw') return raw
  if (source === 'credential') return /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (typeof source === 'object') return headers[source.header.toLowerCase()]
  const name = source.slice(1)
  return source.startsWith(':') ? params[name] : query.get(name)
}

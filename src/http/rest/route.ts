import type { Auth } from '../../model/request.ts'
import type { ArgumentSource, Endpoint, Operation } from '../../operations/operation.ts'
import { operations } from '../../operations/operations.ts'
import { type Call, prepareCall, wholeBody } from './call.ts'
import type { Shown } from './shape.ts'

/** An endpoint of an operation, complete. */
export interface Route extends Omit<Endpoint, 'route'> {
  method: string
  /** `/v1/units/:id`. */
  path: string
  /** The root field. */
  field: string
  args: Readonly<Record<string, ArgumentSource>>
  auth: Auth
  body: NonNullable<Endpoint['body']>
}

/** The routes of operations, in their order. */
export const routesOf = (
  operations: Readonly<Record<string, Operation | Pick<Operation, 'input' | 'rest'>>>,
): Route[] =>
  Object.entries(operations).flatMap(([field, { input, rest = [] }]) =>
    [rest].flat().map(({ route, ...endpoint }: Endpoint) => {
      const [method = '', path = ''] = route.split(' ')
      const ofPath = [...path.matchAll(/\/:(\w+)/g)].map(([, name]) => [name, `:${name}`])
      const args = input ? { input: 'body' as const } : Object.fromEntries(ofPath)
      const body = method === 'POST' ? 'required' : 'none'
      return { method, path, field, args, auth: 'required', body, ...endpoint }
    }),
  )

/** The whole contract under /v1; all other paths answer 404. */
export const routes = routesOf(operations)

/** Whether the credential identifies the caller, which decides what the request may access. */
export const namesCaller = ({ auth }: Pick<Route, 'auth'>) => auth === 'required' || auth === 'optional'

/** A route, and the call that it makes. */
export interface RouteCall extends Call {
  route: Route
  /** `GET /v1/units/:id`. */
  name: string
  /** `/v1/units/{id}`. */
  template: string
  /** The values that a request sends for the arguments, in wire names; `null` and `undefined` are not sent. */
  valuesOf(input: RouteInput): Readonly<Record<string, unknown>>
}

/** Throws for a route that does not fit the schema. */
export function prepareRoute(route: Route, shown: Shown): RouteCall {
  const { method, path, field, answer } = route
  const sources = Object.entries(route.args).map(([argument, source]) => {
    const wireName = wireNameOf(argument, source)
    return { argument, wireName, read: readerOf(source) }
  })
  const args = Object.fromEntries(sources.map(({ argument, wireName }) => [argument, wireName]))
  // Fields of a body that no argument takes are unknown ones.
  const ignoresBody = !Object.values(route.args).includes('body')
  return {
    ...prepareCall(shown, { field, args, answer }),
    route,
    name: `${method} ${path}`,
    template: path.replace(/\/:(\w+)/g, '/{$1}'),
    valuesOf: (input) => {
      const values: Record<string, unknown> = ignoresBody ? { ...input.body } : {}
      for (const { wireName, read } of sources) values[wireName] = read(input)
      return values
    },
  }
}

/** Whether a route reads the header Idempotency-Key. */
export const takesKey = ({ route, isWrite }: RouteCall): boolean =>
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

function readerOf(source: ArgumentSource): (input: RouteInput) => unknown {
  if (source === 'body') return ({ body }) => body
  if (source === 'raw') return ({ raw }) => raw
  if (source === 'credential') return ({ headers }) => /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (typeof source === 'object') {
    const header = source.header.toLowerCase()
    return ({ headers }) => headers[header]
  }
  const name = source.slice(1)
  return source.startsWith(':') ? ({ params }) => params[name] : ({ query }) => query.get(name)
}

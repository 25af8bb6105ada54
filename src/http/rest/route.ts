import type { Auth } from '../../model/request-facts.ts'
export type Method = 'GET' | 'POST' | 'DELETE'

/** The source of a route's variables. Path parameters are decoded; `body` is `{}` when the request has none. */
export interface RouteInput {
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  body: Readonly<Record<string, unknown>>
  /** The body as text, for a route with `body: 'raw'`; otherwise empty. */
  raw: string
  headers: Readonly<Record<string, string>>
}

/**
 * The operation's variables in wire (snake_case) names; `null` and `undefined` mean "not sent". The variable `input` is
 * the body itself: errors name its fields without a prefix. A route must pass on the whole body, as `input` or as the
 * variables themselves (`({ body }) => body`). Otherwise unknown fields would not be noticed.
 */
export type Variables = (input: RouteInput) => Readonly<Record<string, unknown>>

export interface RouteOptions {
  /** Default: `required`. */
  auth?: Auth
  /**
   * Default: `required` for POST, `none` otherwise. Without a JSON body (`none`), string variables come from the URL
   * and are parsed by the variable's type. `raw` is any bytes, given as `raw`.
   */
  body?: 'none' | 'optional' | 'required' | 'raw'
  /** Refused for pages of other origins, with any credential. */
  ownOrigin?: boolean
  /** The answer has whole lists, not pages of them. */
  wholeLists?: boolean
  /** The answer is one thing: it has a tag, by which a caller asks whether it has changed. */
  tagged?: boolean
  /** Variables that come from headers, by their wire names: a specific header, or `credential` for the bearer token. */
  headers?: Readonly<Record<string, HeaderSource>>
}

export type HeaderSource = { header: string; required: boolean; description: string } | 'credential'

export interface Route extends Required<RouteOptions> {
  method: Method
  /** Literal segments and `:name` parameters: `/v1/units/:id`, `/v1/units:delete`. */
  path: string
  /** One GraphQL operation. Its aliases are the wire names. A root alias `body` makes that field the whole answer. */
  document: string
  variables: Variables
}

/** Whether the credential identifies the caller, which decides what the request may access. */
export const namesCaller = ({ auth }: Route) => auth === 'required' || auth === 'optional'

/** `/v1/units/:id` -> `/v1/units/{id}`. */
export const pathTemplate = (path: string) => path.replace(/\/:(\w+)/g, '/{$1}')

export const noVariables: Variables = () => ({})

/** One endpoint, as data: the selection set of `document` is its response body. */
export function route(
  method: Method,
  path: string,
  document: string,
  variables = noVariables,
  options: RouteOptions = {},
): Route {
  const body = options.body ?? (method === 'POST' ? 'required' : 'none')
  const { auth = 'required', ownOrigin = false, wholeLists = false, tagged = false, headers = {} } = options
  return { method, path, document, variables, auth, body, ownOrigin, wholeLists, tagged, headers }
}

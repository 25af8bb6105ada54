import type { Auth } from '../../model/request-facts.ts'
export type Method = 'GET' | 'POST' | 'DELETE'

/** What a route makes its variables of. Path parameters are decoded; `body` is `{}` when there is none. */
export interface RouteInput {
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  body: Readonly<Record<string, unknown>>
  /** The body as text, for a route with `body: 'raw'`; otherwise empty. */
  raw: string
  headers: Readonly<Record<string, string>>
}

/**
 * The operation's variables in wire (snake_case) names; `null` and `undefined` mean "not sent". The variable called
 * `input` is the body itself: errors name its fields without a prefix. A route must hand the whole body over, as
 * `input` or as the variables themselves (`({ body }) => body`): that is how unknown fields are noticed.
 */
export type Variables = (input: RouteInput) => Readonly<Record<string, unknown>>

export interface RouteOptions {
  /**
   * By default `required`. `optional` resolves a credential that is there; `none` does not even look;
   * `own` leaves it to the operation, which takes a credential of another kind.
   */
  auth?: Auth
  /**
   * By default `required` for POST and `none` otherwise. Without a JSON body (`none`), strings among the variables come
   * from the URL and are read as what the variable's type says. `raw` is any bytes, given as `raw`.
   */
  body?: 'none' | 'optional' | 'required' | 'raw'
  /** Refused to pages of other origins, whatever credential they bear. */
  ownOrigin?: boolean
  /** Variables that headers carry, by their wire names: a header of its own, or `credential` for the bearer token. */
  headers?: Readonly<Record<string, HeaderSource>>
}

export type HeaderSource = { header: string; required: boolean; description: string } | 'credential'

export interface Route extends Required<RouteOptions> {
  method: Method
  /** Literal segments and `:name` parameters: `/v1/units/:id`, `/v1/units:delete`. */
  path: string
  /** One GraphQL operation. Its aliases are the wire names; a root alias `body` makes that field the whole answer. */
  document: string
  variables: Variables
}

/** `/v1/units/:id` -> `/v1/units/{id}`. */
export const pathTemplate = (path: string) => path.replace(/\/:(\w+)/g, '/{$1}')

/** One endpoint, as data: the selection set of `document` is its response body. */
export function route(
  method: Method,
  path: string,
  document: string,
  variables: Variables = () => ({}),
  options: RouteOptions = {},
): Route {
  const body = options.body ?? (method === 'POST' ? 'required' : 'none')
  const { auth = 'required', ownOrigin = false, headers = {} } = options
  return { method, path, document, variables, auth, body, ownOrigin, headers }
}

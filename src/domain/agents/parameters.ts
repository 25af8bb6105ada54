import { OauthError } from '../../model/oauth.ts'

/** The value of a parameter; undefined if it is missing or empty. Throws if it is there more than once. */
export function parameter(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = parameters.getAll(name)
  if (others.length > 0) throw new OauthError('invalid_request', `${name}: must be sent once`)
  return value === '' ? undefined : value
}

export function required(parameters: URLSearchParams, name: string): string {
  const value = parameter(parameters, name)
  if (value === undefined) throw new OauthError('invalid_request', `${name}: is required`)
  return value
}

/** The only resource that tokens are for. */
const resourceOf = (base: string): string => `${base}/mcp`

/** Throws if the parameter names another resource. */
export function requireResource(named: string | undefined, base: string): void {
  if (named !== resourceOf(base)) throw new OauthError('invalid_target', `resource: must be ${resourceOf(base)}`)
}

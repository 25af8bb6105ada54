import { z } from 'zod'
import { type AuthorizationRequest, OauthError, type OauthScope, oauthScopes } from '../../model/oauth.ts'
import type { OauthClient } from '../../ports/catalog.ts'
import type { Bindings } from '../bindings/bindings.ts'

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

const loopback = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?(?=[/?]|$)/

/** What is wrong with an address that a client wants to register; null if nothing is. */
function redirectProblem(uri: string, applicationType: 'native' | 'web'): string | null {
  const address = URL.canParse(uri) ? new URL(uri) : null
  if (address === null || uri.includes('#') || address.username !== '' || address.password !== '')
    return 'must be an absolute address without a fragment and without a user'
  if (address.protocol === 'https:') return null
  if (!loopback.test(uri)) return 'must begin with https://, or with http:// and a loopback address'
  return applicationType === 'native'
    ? null
    : 'must begin with https://: only a native client may use a loopback address'
}

/** Exact, but for the port of a loopback address: a program on the person's machine takes a free one (RFC 8252). */
const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  registered.some((one) => one === uri || (loopback.test(one) && withoutPort(one) === withoutPort(uri)))

const withoutPort = (uri: string): string => uri.replace(loopback, (origin) => origin.replace(/:\d+$/, ''))

/** The part of a client's metadata (RFC 7591) that counts here; the rest is ignored. */
const metadata = z.object({
  redirect_uris: z.array(z.string().max(2048)).min(1).max(10),
  client_name: z.string().max(1024).optional(),
  application_type: z.enum(['native', 'web']).default('native'),
})

const maxName = 64
/** Strangers register clients: of those that nobody consented to, this many are kept. */
const maxUnconsented = 10_000

export const unconsentedMs = 86_400_000

/** Registers a public client, whatever else it asks to be. Throws an `OauthError`. */
export async function registerClient(
  { catalog, clock, random }: Pick<Bindings, 'catalog' | 'clock' | 'random'>,
  given: unknown,
): Promise<OauthClient> {
  const read = metadata.safeParse(given)
  if (!read.success) {
    const place = String(read.error.issues[0]?.path[0] ?? 'body')
    const code = place === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata'
    throw new OauthError(code, `${place}: ${expected[place] ?? 'must be a JSON object of client metadata'}`)
  }
  const { redirect_uris: redirectUris, application_type: applicationType, client_name = '' } = read.data
  for (const [i, uri] of redirectUris.entries()) {
    const problem = redirectProblem(uri, applicationType)
    if (problem !== null) throw new OauthError('invalid_redirect_uri', `redirect_uris[${i}]: ${problem}`)
  }
  const name = plain(client_name) || 'Unnamed client'
  const client: OauthClient = {
    id: random.id('client'),
    ...{ name, redirectUris, applicationType },
    createdAt: clock.now(),
    consentedAt: null,
  }
  await catalog.agents.insertClient(client, maxUnconsented)
  return client
}

const expected: Readonly<Record<string, string>> = {
  redirect_uris: 'must be a list of 1 to 10 addresses of at most 2,048 characters',
  client_name: 'must be a text of at most 1,024 characters',
  application_type: 'must be native or web',
}

/** One short line without characters that change how the text around it is shown. */
const plain = (name: string): string =>
  [
    ...name
      .toWellFormed()
      .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
      .trim(),
  ]
    .slice(0, maxName)
    .join('')

/** A registered client. Null for an unknown one, and for one that waited too long. */
async function findClient(
  { catalog, clock }: Pick<Bindings, 'catalog' | 'clock'>,
  id: string,
): Promise<OauthClient | null> {
  const client = await catalog.agents.client(id)
  const isLate = client?.consentedAt === null && client.createdAt + unconsentedMs <= clock.now()
  return isLate ? null : client
}

/**
 * Checks a request for a person's consent. Throws an `OauthError`: without `redirect` while it is not certain that the
 * address of the answer is the client's.
 */
export async function checkAuthorizationRequest(
  deps: Pick<Bindings, 'catalog' | 'clock'>,
  parameters: URLSearchParams,
  base: string,
): Promise<AuthorizationRequest> {
  const client = await findClient(deps, required(parameters, 'client_id'))
  if (!client) throw new OauthError('invalid_client', 'client_id: must be that of a registered client')
  const uri = required(parameters, 'redirect_uri')
  if (!isRegistered(uri, client.redirectUris))
    throw new OauthError('invalid_request', 'redirect_uri: must be one that the client registered')
  const redirect = { uri, state: parameters.getAll('state').at(0) }
  try {
    return { client, redirect, ...readRequest(parameters, base) }
  } catch (error) {
    throw error instanceof OauthError ? new OauthError(error.code, error.message, redirect) : error
  }
}

function readRequest(parameters: URLSearchParams, base: string) {
  parameter(parameters, 'state')
  if (parameter(parameters, 'response_type') !== 'code')
    throw new OauthError('unsupported_response_type', 'response_type: must be code')
  if (parameter(parameters, 'code_challenge_method') !== 'S256')
    throw new OauthError('invalid_request', 'code_challenge_method: must be S256')
  const codeChallenge = required(parameters, 'code_challenge')
  if (!/^[\w-]{43}$/.test(codeChallenge))
    throw new OauthError('invalid_request', 'code_challenge: must be a SHA-256 in base64url without padding')
  requireResource(parameter(parameters, 'resource'), base)
  return { codeChallenge, scopes: readScopes(parameter(parameters, 'scope')) }
}

/** Without any, the client only reads. */
function readScopes(text = 'read'): OauthScope[] {
  const asked = text.split(' ').filter((word) => word !== '')
  const unknown = asked.find((word) => !oauthScopes.some((scope) => scope === word))
  if (unknown !== undefined) throw new OauthError('invalid_scope', `scope: must be of ${oauthScopes.join(', ')}`)
  return oauthScopes.filter((scope) => asked.includes(scope))
}

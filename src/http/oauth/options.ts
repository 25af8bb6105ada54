import type { Log } from '../../model/log.ts'
import { type AuthorizationRequest, type Consent, OauthError, withParameters } from '../../model/oauth.ts'
import { type HttpRequest, isCleanText } from '../message.ts'

export interface OauthOptions {
  /** What the domain does; each throws an `OauthError` for what a client got wrong. */
  agents: {
    register(metadata: unknown): Promise<RegisteredClient>
    check(parameters: URLSearchParams, base: string): Promise<AuthorizationRequest>
    exchange(parameters: URLSearchParams, base: string, requestId: string): Promise<object>
  }
  /** Who is signed in; null for nobody. */
  personOf(request: HttpRequest): Promise<Person | null>
  /** Whether clients may register. */
  isOpen: boolean
  /** Whether people may sign in by an identity provider. */
  hasProvider: boolean
  brand: string
  /** The name of the product on its pages. */
  brandName: string
  publicOrigin: string | null
  allowedOrigins: readonly string[]
  log: Log
}

interface RegisteredClient {
  id: string
  name: string
  redirectUris: readonly string[]
  applicationType: string
  /** Epoch milliseconds. */
  createdAt: number
}

/** A signed-in person. */
interface Person {
  /** The names of the namespaces that the person may enter. */
  namespaces(): Promise<string[]>
  /** Connects the client; returns its code. */
  connect(request: AuthorizationRequest, consent: Consent): Promise<string>
}

export const bodyLimit = 64 * 1024

/** The client's own address, with what was wrong (RFC 6749, 4.1.2.1; RFC 9207). */
export const errorAddress = ({ code, message, redirect: to }: OauthError, iss: string): string =>
  withParameters(to?.uri ?? iss, { error: code, error_description: message, state: to?.state, iss })

export function readParameters(query: string): URLSearchParams {
  const parameters = new URLSearchParams(query)
  for (const [name, value] of parameters) {
    if (!isCleanText(name) || !isCleanText(value))
      throw new OauthError('invalid_request', 'a parameter must not contain NUL or an unpaired surrogate')
  }
  return parameters
}

export async function readJson(request: HttpRequest): Promise<unknown> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const text = Buffer.from(await request.body(bodyLimit)).toString()
  try {
    if (type === 'application/json' && isCleanText(text)) return JSON.parse(text)
  } catch {
    // The same answer as to another type.
  }
  throw new OauthError('invalid_request', 'the body must be JSON, sent as application/json')
}

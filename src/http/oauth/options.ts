import type { Log } from '../../model/log.ts'
import type { AuthorizationRequest, Consent } from '../../model/oauth.ts'
import type { HttpRequest } from '../message.ts'

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
  publicOrigin: string | null
  allowedOrigins: readonly string[]
  log: Log
}

export interface RegisteredClient {
  id: string
  name: string
  redirectUris: readonly string[]
  applicationType: string
  /** Epoch milliseconds. */
  createdAt: number
}

/** A signed-in person. */
export interface Person {
  /** The names of the namespaces that the person may enter. */
  namespaces(): Promise<string[]>
  /** Connects the client; returns its code. */
  connect(request: AuthorizationRequest, consent: Consent): Promise<string>
}

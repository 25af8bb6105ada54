import type { Namespace, Permission } from '../../model/registry.ts'

/** A program that may ask people to let it act for them. Times are epoch milliseconds. */
export interface OauthClient {
  id: string
  name: string
  redirectUris: readonly string[]
  applicationType: 'native' | 'web'
  createdAt: number
  /** When a person first consented; null before. */
  consentedAt: number | null
}

/** A person's consent to a client, as the person sees it. */
export interface AgentConnection {
  id: string
  clientId: string
  clientName: string
  perms: readonly Permission[]
  /** The only namespace that it may enter, by name; null for all of the person's. */
  namespace: string | null
  scopePrefix: string | null
  createdAt: number
  /** It may lag by a minute. Null if never used. */
  lastUsedAt: number | null
}

export interface NewConnection extends Omit<AgentConnection, 'namespace' | 'lastUsedAt'> {
  principalId: string
  namespaceId: Namespace['id'] | null
}

export interface AgentTokenRow {
  /** SHA-256 of the token, hex. */
  hash: string
  connectionId: string
  kind: 'code' | 'access' | 'refresh'
  expiresAt: number
  /** Of a code: what its exchange must repeat. */
  redirectUri: string | null
  codeChallenge: string | null
}

export interface FoundToken extends AgentTokenRow {
  connection: AgentConnection & { principalId: string }
  /** The home namespace of the principal. */
  homeId: string
  usedAt: number | null
}

export interface AgentStore {
  client(id: string): Promise<OauthClient | null>
  /** Beyond `max` clients that nobody consented to, the oldest of them are removed. */
  insertClient(client: OauthClient, max: number): Promise<void>
  /** Null for an unknown token, and for one of a deleted principal. The caller checks `expiresAt` and `usedAt`. */
  token(hash: string): Promise<FoundToken | null>
  /** The connections of a principal that have an unexpired token, oldest first. */
  list(principalId: string, now: number): Promise<AgentConnection[]>
  /** Writes the time of last use if the stored one is before `since`. */
  recordUse(connectionId: string, at: number, since: number): Promise<void>
  /**
   * Removes tokens that expired by `now`, connections without a token, and clients that were registered before
   * `unconsentedSince` and that nobody consented to; returns their number.
   */
  removeExpired(now: number, unconsentedSince: number): Promise<number>
}

/** Writes of connections, in a transaction of the principal's home namespace. */
export interface AgentWriter {
  list(principalId: string, now: number): Promise<AgentConnection[]>
  /** False, and nothing is written, when the principal was deleted or the client removed in the meantime. */
  connect(connection: NewConnection, token: AgentTokenRow): Promise<boolean>
  /** Marks a token as used. False if it was used before, or does not exist any more. */
  use(hash: string, at: number): Promise<boolean>
  issue(tokens: readonly AgentTokenRow[]): Promise<void>
  /** Ends a connection with all of its tokens. False if it does not exist. */
  remove(principalId: string, id: string): Promise<boolean>
}

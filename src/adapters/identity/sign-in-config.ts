/** How people sign in to the console. */
export type SignInConfig =
  /** There are no sessions: the endpoints answer 404, cookies are ignored. */
  | { kind: 'off' }
  | {
      kind: 'on'
      /** Null: one is generated in the data directory. */
      secret: string | null
      signUp: SignUpPolicy
      /** The origin under which browsers reach the service. */
      publicOrigin: string | null
      oidc: OidcConfig | null
      /** Whether agents may register themselves as OAuth clients. */
      agentRegistration: 'open' | 'closed'
      /** Addresses and networks (CIDR) of trusted proxies, whose `X-Forwarded-For` is used. */
      trustedProxies: readonly string[]
      /** Sign-ins, and sign-ups, that one address may attempt within the window. */
      throttle: { tries: number; windowSeconds: number }
    }

export interface OidcConfig {
  issuer: string
  clientId: string
  clientSecret: string
}

/** Who may become a user: anyone, no one, or people with an e-mail address of certain domains (lower-case). */
export type SignUpPolicy = 'open' | 'closed' | { domains: readonly string[] }

export function admits(policy: SignUpPolicy, email: unknown): boolean {
  if (typeof policy === 'string') return policy === 'open'
  if (typeof email !== 'string') return false
  return policy.domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}

/** Carries the client's address into the library; a value that the client sends under this name is replaced. */
export const addressHeader = 'x-client-address'

/** The same for the address that an invitation lets sign up, encoded for a URL. */
export const invitedHeader = 'x-invited-address'

import type { SignUpPolicy } from './sign-up-policy.ts'

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

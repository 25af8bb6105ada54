/** A person with a console session. The linked principal decides what it may do. */
export interface ConsoleUser {
  /** Created once, never reused. */
  userId: string
  email: string
  name: string
}

/** Who may sign up. Of a policy of domains, the domains are not told. */
export const signUpKinds = ['open', 'domains', 'closed'] as const

/** How people can sign in. */
export interface SignInWays {
  /** By e-mail and password. */
  email: boolean
  signUp: (typeof signUpKinds)[number]
  /** By OpenID Connect. */
  oidc: boolean
  /** Whether someone who forgot a password gets a link by mail. */
  passwordReset: boolean
}

/** Whether the token is that of an open invitation for this address. */
export type IsInvited = (token: string, email: string) => Promise<boolean>

/** Console sign-in: the user of a session cookie, and the endpoints that create and end sessions. */
export interface ConsoleSessions {
  ways: SignInWays
  /**
   * Null when the `Cookie` header has no live session. Signing out ends a session at once, everywhere. An outage
   * throws; it never counts as "not signed in".
   */
  user(cookie: string): Promise<ConsoleUser | null>
  /**
   * Serves the paths under `/api/auth/`. `remoteAddress` is the peer of the socket; attempts are counted by it.
   * `isInvited` may let a person sign up where others may not.
   */
  handle(request: Request, remoteAddress: string | undefined, isInvited: IsInvited): Promise<Response>
  /** Waits for background work outside of requests: mails. */
  close(): Promise<void>
}

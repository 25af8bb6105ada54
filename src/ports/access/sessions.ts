/** A person with a console session. The linked principal decides what it may do. */
export interface ConsoleUser {
  /** Created once, never reused. */
  userId: string
  email: string
}

/** Console sign-in: the user of a session cookie, and the endpoints that create and end sessions. */
export interface ConsoleSessions {
  /**
   * Null when the `Cookie` header has no live session. Signing out ends a session at once, everywhere. An outage
   * throws; it never counts as "not signed in".
   */
  user(cookie: string): Promise<ConsoleUser | null>
  /** Serves the paths under `/api/auth/`. `remoteAddress` is the peer of the socket; attempts are counted by it. */
  handle(request: Request, remoteAddress: string | undefined): Promise<Response>
  /** Waits for background work outside of requests: mails. */
  close(): Promise<void>
}

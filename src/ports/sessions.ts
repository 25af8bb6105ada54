/** A person with a console session. What it may do hangs on the principal that is linked to it. */
export interface ConsoleUser {
  /** Minted once, never reissued. */
  userId: string
  email: string
}

/** Console sign-in: who a session cookie stands for, and the endpoints that make and end sessions. */
export interface ConsoleSessions {
  /**
   * Null when the `Cookie` header carries no live session: signing out ends one at once, everywhere. An outage throws;
   * it never passes for "not signed in".
   */
  user(cookie: string): Promise<ConsoleUser | null>
  /** Serves what is under `/api/auth/`. `remoteAddress` is the peer of the socket, by which tries are counted. */
  handle(request: Request, remoteAddress: string | undefined): Promise<Response>
  /** Waits for what is under way outside requests: mails. */
  close(): Promise<void>
}

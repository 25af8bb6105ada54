/** What signing in has left. */
export interface SignInRecords {
  /** Removes sessions, and links in mails, that ended by `now`, epoch milliseconds; returns their number. */
  removeExpired(now: number): Promise<number>
}

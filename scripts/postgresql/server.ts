/** A PostgreSQL server on 127.0.0.1 that was started for a run. */
export interface StartedServer {
  /** Told to the user. */
  name: string
  url: string
  stop(): Promise<void>
}

/** What both kinds of servers are started with: two files of tests at once, each with some pools. */
export const serverFlags = ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200']

/** A PostgreSQL server on 127.0.0.1 that was started for a run. */
export interface StartedServer {
  /** Shown to the user. */
  name: string
  url: string
  stop(): Promise<void>
}

/** Arguments of both kinds of servers: some test files at once have some pools each. */
export const serverFlags = ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=400']

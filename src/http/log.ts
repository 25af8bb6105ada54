/** The part of a structured logger that the doors need; pino fits. */
export interface Log {
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** What the server itself needs: a line for each request, below `info` for probes. */
export interface ServerLog extends Log {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  debug?(fields: Readonly<Record<string, unknown>>, message: string): void
}

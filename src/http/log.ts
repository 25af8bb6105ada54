/** The part of a structured logger that the doors need; pino fits. */
export interface Log {
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Structured operational logging, compatible with pino. Fields must never contain tokens, texts or queries. */
export interface Log {
  debug?(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Counts what several processes do in total. */
export interface Counter {
  /**
   * Adds one, atomically, and returns the new count. The first call starts `ttlMs`; after that the count starts at 1
   * again.
   */
  increment(key: string, ttlMs: number): Promise<number>
}

/**
 * Short-lived shared state. Losing it costs time, never correctness. Every call fails within about a second when the
 * store is unreachable.
 */
export interface KeyValue extends Counter {
  readonly engine: string
  get(key: string): Promise<string | null>
  set(key: string, value: string, ttlMs: number): Promise<void>
  delete(key: string): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}

/** Short-lived shared state. Losing it costs time, never correctness. */
export interface KeyValue {
  readonly engine: string
  get(key: string): Promise<string | null>
  set(key: string, value: string, ttlMs: number): Promise<void>
  delete(key: string): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}

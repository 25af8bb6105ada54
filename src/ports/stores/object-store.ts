/** Bytes of raw sources, by key: `/`-separated segments of `[A-Za-z0-9_-]`. */
export interface ObjectStore {
  readonly engine: string
  /** Durable before it resolves; replaces existing bytes. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Null when nothing is stored there. */
  get(key: string): Promise<Uint8Array | null>
  /** Removes the bytes; does nothing when there are none. */
  delete(key: string): Promise<void>
  ping(): Promise<void>
}

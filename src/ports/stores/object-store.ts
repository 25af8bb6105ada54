import type { ByteRange } from '../../model/object-key.ts'

/** Bytes of raw sources, by key: `/`-separated segments of `[A-Za-z0-9_-]`. */
export interface ObjectStore {
  readonly engine: string
  /** Durable before it resolves; replaces existing bytes. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /**
   * The same for bytes that come in chunks and are never whole in memory. An error of `chunks` is thrown as it is. If
   * they are not exactly `bytes` bytes, or anything fails, nothing is stored and existing bytes stay.
   */
  putStream(key: string, chunks: AsyncIterable<Uint8Array>, bytes: number): Promise<void>
  /** Null when nothing is stored there. */
  get(key: string): Promise<Uint8Array | null>
  /** The same in chunks, which are read as they are taken. A range must lie within the object. */
  open(key: string, range?: ByteRange): Promise<OpenObject | null>
  /** Removes the bytes; does nothing when there are none. */
  delete(key: string): Promise<void>
  ping(): Promise<void>
}

export interface OpenObject {
  /** Of the whole object. */
  bytes: number
  /** Throws when the bytes end early. Nothing is open until the first chunk is taken. */
  stream: AsyncIterable<Uint8Array>
}

/** Type bytes of PostgreSQL's protocol. */
const type = { query: 0x51, sync: 0x53 }

/** 'X': the client closes the connection. */
export const terminate = 0x58

/** Ends a series of extended-query messages. */
export const sync = Uint8Array.of(type.sync, 0, 0, 0, 4)

/** A simple query: type, length, zero-terminated text. */
export function query(sql: string): Uint8Array {
  const text = Buffer.from(`${sql}\0`)
  const head = Buffer.alloc(5, type.query)
  head.writeUInt32BE(text.length + 4, 1)
  return Buffer.concat([head, text])
}

/**
 * Splits a byte stream into whole protocol messages: PGlite reads a truncated one as the end of the connection.
 * The first message of a connection (the startup packet) has no type byte, only its length.
 * Source: PostgreSQL documentation, "Message Formats".
 */
export class Frames {
  private chunks: Uint8Array[] = []
  private size = 0
  private last: number | null = null

  /** No message from the client is incomplete. */
  get betweenQueries(): boolean {
    return this.size === 0 && (this.last === type.query || this.last === type.sync)
  }

  push(chunk: Uint8Array): void {
    this.chunks.push(chunk)
    this.size += chunk.length
  }

  /** The next whole message, or null. */
  next(): Uint8Array | null {
    const header = this.last === null ? 4 : 5
    if (this.size < header) return null
    const start = this.head(header)
    const length = header - 4 + new DataView(start.buffer, start.byteOffset).getUint32(header - 4)
    if (this.size < length) return null
    const first = this.head(length)
    if (first.length === length) this.chunks.shift()
    else this.chunks[0] = first.subarray(length)
    this.size -= length
    this.last = first[0] ?? null
    return first.subarray(0, length)
  }

  /** The first chunk, joined with the rest if it is shorter than requested. So each message is joined only once. */
  private head(length: number): Uint8Array {
    const [first] = this.chunks
    if (first && first.length >= length) return first
    const joined = Buffer.concat(this.chunks)
    this.chunks = [joined]
    return joined
  }
}

/** 'X': the client says goodbye. */
export const terminate = 0x58

/**
 * Cuts a byte stream into whole protocol messages: PGlite reads a truncated one as the end of the connection.
 * The first message of a connection (the startup packet) has no type byte, only its length.
 * Source: PostgreSQL documentation, "Message Formats".
 */
export class Frames {
  private chunks: Uint8Array[] = []
  private size = 0
  private started = false

  push(chunk: Uint8Array): void {
    this.chunks.push(chunk)
    this.size += chunk.length
  }

  /** The next whole message, or null. */
  next(): Uint8Array | null {
    const header = this.started ? 5 : 4
    if (this.size < header) return null
    let first = this.chunks[0] ?? new Uint8Array()
    // Join only when the head is incomplete; a 15 MB message that came in pieces is then joined once, not per piece.
    if (first.length < header) first = this.join()
    const length = header - 4 + new DataView(first.buffer, first.byteOffset).getUint32(header - 4)
    if (this.size < length) return null
    if (first.length < length) first = this.join()
    this.chunks[0] = first.subarray(length)
    if (first.length === length) this.chunks.shift()
    this.size -= length
    this.started = true
    return first.subarray(0, length)
  }

  private join(): Uint8Array {
    const joined = Buffer.concat(this.chunks)
    this.chunks = [joined]
    return joined
  }
}

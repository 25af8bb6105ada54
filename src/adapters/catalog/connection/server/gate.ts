import { Socket } from 'node:net'

/** The database server does not answer; a later attempt may succeed. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError'
  readonly code: string

  constructor(cause: Error) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : 'no answer'
    super(`the database does not respond: ${cause.message || code}`, { cause })
    this.code = code
  }
}

export type Gate = ReturnType<typeof createGate>

/** Whether the server answers, and the sockets to it. The sockets end when it does not. */
export function createGate() {
  const sockets = new Set<Socket>()
  let down: DatabaseUnreachableError | null = null
  return {
    /** Null while the server answers. */
    get down() {
      return down
    },
    /** For `new pg.Pool({ stream })`. */
    socket: () => {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    /** Fails all pending requests at once; later requests fail without being sent. */
    shut: (cause: Error) => {
      down = new DatabaseUnreachableError(cause)
      for (const socket of sockets) socket.destroy(down)
    },
    open: () => {
      down = null
    },
  }
}

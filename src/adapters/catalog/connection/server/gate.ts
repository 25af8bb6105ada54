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

/** Whether the server answers, and the sockets to it. The sockets end when it does not. */
export interface Gate {
  /** Null while the server answers. */
  readonly down: DatabaseUnreachableError | null
  /** For `new pg.Pool({ stream })`. */
  socket(): Socket
  /** Fails all pending requests at once; later requests fail without being sent. */
  shut(cause: Error): void
  open(): void
}

export function createGate(): Gate {
  const sockets = new Set<Socket>()
  let down: DatabaseUnreachableError | null = null
  return {
    get down() {
      return down
    },
    socket: () => {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    shut: (cause) => {
      down = new DatabaseUnreachableError(cause)
      for (const socket of sockets) socket.destroy(down)
    },
    open: () => {
      down = null
    },
  }
}

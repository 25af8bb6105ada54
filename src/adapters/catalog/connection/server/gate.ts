import { Socket } from 'node:net'

/** The database server does not answer; whoever asks again later may find it back. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError'
  readonly code: string

  constructor(cause: Error) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : 'no answer'
    super(`the database does not answer: ${cause.message || code}`, { cause })
    this.code = code
  }
}

/** Whether the server is there, and the sockets to it, which end when it is not. */
export interface Gate {
  /** Null while the server answers. */
  readonly down: DatabaseUnreachableError | null
  /** For `new pg.Pool({ stream })`. */
  socket(): Socket
  /** Fails whatever waits for an answer, at once; what is asked from now on is to fail without asking. */
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

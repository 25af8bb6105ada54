import type { MessagePort } from 'node:worker_threads'

/** What the worker is asked to do. One connection at a time: the next one only after `free`. */
export type Command = { kind: 'connect'; port: MessagePort } | { kind: 'close' }

/** What the worker reports. `failed` is its last message: the database can't go on. */
export type Report = { kind: 'ready' } | { kind: 'free' } | { kind: 'closed' } | { kind: 'failed'; reason: string }

/** Bytes from the server on a connection's port; `done` says that the last chunk it was sent has been dealt with. */
export interface Reply {
  bytes: Uint8Array | null
  done: boolean
}

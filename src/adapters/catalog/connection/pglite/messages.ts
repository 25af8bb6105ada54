import type { MessagePort } from 'node:worker_threads'

/** Commands to the worker. One connection at a time: the next one only after `free`. */
export type Command = { kind: 'connect'; port: MessagePort } | { kind: 'close' }

/** What the worker reports. `failed` is its last message: the database cannot continue. */
export type Report = { kind: 'ready' } | { kind: 'free' } | { kind: 'closed' } | { kind: 'failed'; reason: string }

/** Bytes from the server on a connection's port; `done`: the worker has processed the last chunk it received. */
export interface Reply {
  bytes: Uint8Array | null
  done: boolean
}

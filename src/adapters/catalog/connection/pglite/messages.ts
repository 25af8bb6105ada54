import type { MessagePort } from 'node:worker_threads'
import type { Modules } from './modules.ts'

/** Commands to the worker. One connection at a time: the next one only after `free`. */
export type Command = { kind: 'connect'; port: MessagePort } | { kind: 'close' }

/**
 * What the worker reports; `ready` with what it has compiled. `failed` is its last message: the database cannot continue.
 */
export type Report =
  | { kind: 'ready'; modules: Modules }
  | { kind: 'free' }
  | { kind: 'closed' }
  | { kind: 'failed'; reason: string }

/** What the worker starts with. */
export interface Start {
  dataDir: string
  /** Whether its only purpose is to make the catalog. */
  isCreation: boolean
  /** Compiled by an earlier one. */
  modules: Modules | null
  /** One number: whether it leaves out its maintenance. */
  held: Int32Array
}

/** Bytes from the server on a connection's port; `done`: the worker has processed the last chunk it received. */
export interface Reply {
  bytes: Uint8Array | null
  done: boolean
}

import type { MessagePort } from 'node:worker_threads'
import type { Modules } from './modules.ts'

export interface DatabaseCalls {
  /** Answered when the database is open, with what the worker has compiled. */
  open: { ask: null; answer: Modules }
  /** Serves one connection, and is answered when that is closed: only then may the next one follow. */
  connect: { ask: MessagePort; answer: null }
  close: { ask: null; answer: null }
}

/** What the worker starts with. */
export interface Start {
  dataDir: string
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

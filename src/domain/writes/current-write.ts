import { AsyncLocalStorage } from 'node:async_hooks'
import type { WriteKey } from './write-key.ts'

/** The write that a request makes, as its transactions see it. */
export interface CurrentWrite {
  /** The namespace that the request targets; null before the first seed. */
  namespaceId: string | null
  /** The namespace's seq after the latest transaction there; null if there was none. */
  seq: number | null
  key: WriteKey | null
  /** The number of its transactions so far. */
  steps: number
  /** An earlier request with this key has done at least one of them. */
  replayed: boolean
  /** The new home of the caller, which its next request targets. */
  movedTo: string | null
}

// The transactions of a request are begun in many places of the domain, none of which has to know of it.
const storage = new AsyncLocalStorage<CurrentWrite>()

export const currentWrite = (): CurrentWrite | undefined => storage.getStore()

export const withinWrite = <T>(write: CurrentWrite, work: () => Promise<T>): Promise<T> => storage.run(write, work)

/** For work that a request may begin, but that is not part of it. */
export const outsideWrites = <T>(work: () => T): T => storage.exit(work)

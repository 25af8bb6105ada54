import type { Dataset, Query } from '../data.ts'
import type { Mode } from '../queries.ts'

/** Another engine with the same Units. It searches among the Units of one group. */
export interface Peer {
  /** Includes its version. */
  name: string
  /** The time from an empty engine until all Units are searchable. */
  loadSeconds: number
  /** Resident bytes of a process of its own, after loading. */
  memory?: number | undefined
  ways: readonly Way[]
  close(): Promise<void>
}

/** A way to search, the best of its kind in this engine. */
export interface Way {
  name: string
  mode: Mode
  connect(group: string): Promise<PeerClient>
}

export interface PeerClient {
  /** The ids of the best `k`, best first. It also reads their texts, as the service does. */
  search(query: Query, k: number): Promise<string[]>
  close(): Promise<void>
}

export type OpenPeer = (dataset: Dataset) => Promise<Peer>

/** Why a peer is skipped: what is missing, and how to install it. */
export class PeerSkippedError extends Error {}

import type { Dataset } from '../data.ts'

/** Another engine with the same Units. It searches by vector only, among the Units of one group. */
export interface Peer {
  /** Includes its version. */
  name: string
  /** The time from an empty engine until all Units are searchable. */
  loadSeconds: number
  /** Search modes, each the best of its kind in this engine. */
  ways: readonly { name: string; connect(group: string): Promise<PeerClient> }[]
  close(): Promise<void>
}

export interface PeerClient {
  /** The ids of the nearest `k`, best first. It also reads their texts, as the service does. */
  search(vector: Float32Array, k: number): Promise<string[]>
  close(): Promise<void>
}

export type OpenPeer = (dataset: Dataset) => Promise<Peer>

/** Why a peer is skipped: what is missing, and how to install it. */
export class PeerSkippedError extends Error {}

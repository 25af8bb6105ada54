import type { Dataset } from '../data.ts'

/** Another engine that holds the same Units. It searches by vector alone, among the Units of one group. */
export interface Peer {
  /** With its version. */
  name: string
  /** From nothing to everything searchable. */
  loadSeconds: number
  /** Ways to search, each the best of its kind that this engine has. */
  ways: readonly { name: string; connect(group: string): Promise<PeerClient> }[]
  close(): Promise<void>
}

export interface PeerClient {
  /** The ids of the nearest `k`, best first. Their texts are read too, as the service does. */
  search(vector: Float32Array, k: number): Promise<string[]>
  close(): Promise<void>
}

export type OpenPeer = (dataset: Dataset) => Promise<Peer>

/** Why a peer is not measured: what is not there, and how to put it there. */
export class PeerSkippedError extends Error {}

import { openChroma } from './chroma.ts'
import { openLanceDb } from './lancedb.ts'
import { openOwnIndex } from './own-index.ts'
import type { OpenPeer } from './peer.ts'
import { openPgvector } from './pgvector.ts'
import { openQdrantEdge, openTantivy } from './python-peer.ts'

export const peers = {
  index: openOwnIndex,
  'qdrant-edge': openQdrantEdge,
  tantivy: openTantivy,
  lancedb: openLanceDb,
  chroma: openChroma,
  pgvector: openPgvector,
} satisfies Record<string, OpenPeer>

export type PeerName = keyof typeof peers
export const peerNames = Object.keys(peers) as PeerName[]

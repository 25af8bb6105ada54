import type { SignedCheckpoint } from '../model/checkpoint.ts'
import type { Subtree } from '../model/merkle.ts'
import type { Namespace } from '../model/registry.ts'

/** The least level of the subtrees that are kept; the roots of smaller ones are computed from rows. */
export const blockLevel = 8
/** Rows under such a subtree. */
export const blockRows = 2 ** blockLevel

/** A complete subtree of a log's Merkle tree and its root. */
export interface TreeNode extends Subtree {
  hash: Uint8Array
}

/** What is kept of the Merkle trees over audit logs. Write-once, as the rows are; writing the same again changes nothing. */
export interface AuditTree {
  keepNodes(namespaceId: string, nodes: readonly TreeNode[]): Promise<void>
  /** The kept subtrees whose last row is above a seq and at most another, in no order. */
  nodesOver(namespaceId: string, above: number, upTo: number): Promise<TreeNode[]>
  /** A kept subtree that no log as long as the head row says could have; null when there is none. */
  strayNode(namespaceId: string): Promise<Subtree | null>
  /** Those of the given subtrees that are kept, in no order. */
  nodes(namespaceId: string, subtrees: readonly Subtree[]): Promise<TreeNode[]>
  /** The first checkpoint of a size stays: returns the one that is kept. */
  keepCheckpoint(namespaceId: string, checkpoint: SignedCheckpoint): Promise<SignedCheckpoint>
  /** With that many rows, or with the most; null when there is none. */
  checkpoint(namespaceId: string, size: number | 'newest'): Promise<SignedCheckpoint | null>
  /** Checkpoints of more rows than `above`, ascending. */
  checkpoints(namespaceId: string, above: number, limit: number): Promise<SignedCheckpoint[]>
  /** Namespaces, deleted ones too, that have a checkpoint, and the size of the newest. */
  signed(): Promise<(Namespace & { size: number })[]>
  /** Namespaces, deleted ones too, that have rows beyond their newest checkpoint. */
  grown(): Promise<Namespace[]>
}

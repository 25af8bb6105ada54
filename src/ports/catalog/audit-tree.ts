import type { SignedCheckpoint } from '../../model/checkpoint.ts'
import type { Subtree } from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'

/** The lowest level of stored subtrees. Roots of smaller subtrees are computed from rows. */
export const blockLevel = 8
/** Rows under such a subtree. */
export const blockRows = 2 ** blockLevel

/** A complete subtree of a log's Merkle tree and its root. */
export interface TreeNode extends Subtree {
  hash: Uint8Array
}

/**
 * The stored parts of the Merkle trees over audit logs. They are write-once, like the rows. Writing the same again
 * changes nothing.
 */
export interface AuditTree {
  keepNodes(namespaceId: string, nodes: readonly TreeNode[]): Promise<void>
  /** The stored subtrees whose last row is above a seq and at most another, in any order. */
  nodesOver(namespaceId: string, above: number, upTo: number): Promise<TreeNode[]>
  /** A stored subtree that does not fit in a log of the length in the head row; null when there is none. */
  strayNode(namespaceId: string): Promise<Subtree | null>
  /** Those of the given subtrees that are stored, in any order. */
  nodes(namespaceId: string, subtrees: readonly Subtree[]): Promise<TreeNode[]>
  /** The first checkpoint of a size is kept: returns the stored one. */
  keepCheckpoint(namespaceId: string, checkpoint: SignedCheckpoint): Promise<SignedCheckpoint>
  /** The checkpoint with this number of rows, or the largest; null when there is none. */
  checkpoint(namespaceId: string, size: number | 'newest'): Promise<SignedCheckpoint | null>
  /** Checkpoints of more rows than `above`, ascending. */
  checkpoints(namespaceId: string, above: number, limit: number): Promise<SignedCheckpoint[]>
  /** Namespaces, including deleted ones, that have a checkpoint, and the size of the newest. */
  signed(): Promise<(Namespace & { size: number })[]>
  /** Namespaces, including deleted ones, that have rows after their newest checkpoint. */
  grown(): Promise<Namespace[]>
}

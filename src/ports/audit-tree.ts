import type { SignedCheckpoint } from '../model/checkpoint.ts'
import type { Subtree } from '../model/merkle.ts'
import type { Namespace } from '../model/registry.ts'

/** The least level of the subtrees that are kept; the roots of smaller ones are computed from rows. */
export const blockLevel = 8

/** A complete subtree of a log's Merkle tree and its root. */
export interface TreeNode extends Subtree {
  hash: Uint8Array
}

/** What is kept of the Merkle trees over audit logs. Write-once, as the rows are; writing the same again changes nothing. */
export interface AuditTree {
  /** How many rows the kept subtrees cover, from the first: a multiple of 2^blockLevel. */
  covered(namespaceId: string): Promise<number>
  keepNodes(namespaceId: string, nodes: readonly TreeNode[]): Promise<void>
  /** Those of the given subtrees that are kept, in no order. */
  nodes(namespaceId: string, subtrees: readonly Subtree[]): Promise<TreeNode[]>
  /** The first checkpoint of a size stays: returns the one that is kept. */
  keepCheckpoint(namespaceId: string, checkpoint: SignedCheckpoint): Promise<SignedCheckpoint>
  /** With that many rows, or with the most; null when there is none. */
  checkpoint(namespaceId: string, size: number | 'newest'): Promise<SignedCheckpoint | null>
  /** Checkpoints of more rows than `above`, ascending. */
  checkpoints(namespaceId: string, above: number, limit: number): Promise<SignedCheckpoint[]>
  /** Namespaces, deleted ones too, that have rows beyond their newest checkpoint. */
  grown(): Promise<Namespace[]>
}

import { parseCheckpoint, type SignedCheckpoint } from '../../../model/checkpoint.ts'
import { blockLevel, type Subtree } from '../../../model/merkle.ts'
import type { Namespace } from '../../../model/registry.ts'
import { bigint, integer, stored, text, word } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toTier } from '../database/words.ts'
import { select } from './select.ts'

/** A complete subtree of a log's Merkle tree and its root. */
export interface TreeNode extends Subtree {
  hash: Uint8Array
}

interface CheckpointRecord {
  size: bigint
  root: Uint8Array
  note: string
  time: bigint
}

/**
 * The stored parts of the Merkle trees over audit logs. They are write-once, like the rows. Writing the same again
 * changes nothing.
 */
export function createAuditTree(db: Db) {
  /** The checkpoint with this number of rows, or the largest; null when there is none. */
  const checkpoint = async (namespaceId: string, size: number | 'newest'): Promise<SignedCheckpoint | null> => {
    const record = await db.auditCheckpoint.findFirst({
      where: { namespaceId, ...(size === 'newest' ? {} : { size }) },
      orderBy: { size: 'desc' },
    })
    return record && toCheckpoint(record)
  }
  return {
    checkpoint,

    keepNodes: async (namespaceId: string, nodes: readonly TreeNode[]) => {
      const rows = nodes.map(({ level, index, hash }) => ({ namespaceId, level, index, hash: Uint8Array.from(hash) }))
      await db.auditNode.createMany({ data: rows, skipDuplicates: true })
    },

    /** The first checkpoint of a size is kept: returns the stored one. */
    keepCheckpoint: async (
      namespaceId: string,
      { size, root, note, time }: SignedCheckpoint,
    ): Promise<SignedCheckpoint> => {
      const kept = { namespaceId, size, root: Uint8Array.from(root), note, time }
      await db.auditCheckpoint.createMany({ data: [kept], skipDuplicates: true })
      const found = await checkpoint(namespaceId, size)
      if (found === null) throw new Error('a checkpoint that was kept is gone')
      return found
    },

    /** Checkpoints of more rows than `above`, ascending. */
    checkpoints: async (namespaceId: string, above: number, limit: number): Promise<SignedCheckpoint[]> => {
      const records = await db.auditCheckpoint.findMany({
        where: { namespaceId, size: { gt: above } },
        orderBy: { size: 'asc' },
        take: limit,
      })
      return records.map(toCheckpoint)
    },

    /** The stored subtrees whose last row is above a seq and at most another, in any order. */
    nodesOver: (namespaceId: string, above: number, upTo: number): Promise<TreeNode[]> => select(db, node)`
      SELECT n.level, n.index, n.hash FROM generate_series(${blockLevel}::int, ${topLevel}::int) AS l(level)
      JOIN audit_node n ON n.namespace_id = ${namespaceId} AND n.level = l.level
        AND n.index >= ${above}::bigint >> l.level AND n.index < ${upTo}::bigint >> l.level`,

    /** A stored subtree that does not fit in a log of the length in the head row; null when there is none. */
    strayNode: async (namespaceId: string): Promise<Subtree | null> => {
      const [stray] = await select(db, { level: integer, index: bigint })`
        SELECT level, index FROM audit_node
        WHERE namespace_id = ${namespaceId} AND (level < ${blockLevel} OR level > ${topLevel})
        UNION ALL
        SELECT s.level, s.index FROM generate_series(${blockLevel}::int, ${topLevel}::int) AS l(level), LATERAL (
          (SELECT n.level, n.index FROM audit_node n
            WHERE n.namespace_id = ${namespaceId} AND n.level = l.level AND n.index < 0 LIMIT 1)
          UNION ALL
          (SELECT n.level, n.index FROM audit_node n
            WHERE n.namespace_id = ${namespaceId} AND n.level = l.level AND n.index >=
              (SELECT coalesce(max(h.audit_seq), 0) FROM head h WHERE h.namespace_id = ${namespaceId}) >> l.level LIMIT 1)
        ) s LIMIT 1`
      return stray ? { level: stray.level, index: toNumber(stray.index) } : null
    },

    /** Those of the given subtrees that are stored, in any order. */
    nodes: async (namespaceId: string, subtrees: readonly Subtree[]): Promise<TreeNode[]> => {
      if (subtrees.length === 0) return []
      return select(db, node)`
        SELECT n.level, n.index, n.hash FROM audit_node n
        JOIN unnest(${subtrees.map(({ level }) => level)}::int[], ${subtrees.map(({ index }) => index)}::bigint[])
          AS w(level, index) ON n.level = w.level AND n.index = w.index
        WHERE n.namespace_id = ${namespaceId}`
    },

    /** Namespaces, including deleted ones, that have a checkpoint, and the size of the newest. */
    signed: (): Promise<(Namespace & { size: number })[]> => select(db, { ...namespace, size: bigint })`
      SELECT n.id, n.name, n.tier, c.size FROM namespace n CROSS JOIN LATERAL (SELECT k.size FROM audit_checkpoint k
        WHERE k.namespace_id = n.id ORDER BY k.size DESC LIMIT 1) c`,

    /** Namespaces, including deleted ones, that have rows after their newest checkpoint. */
    grown: (): Promise<Namespace[]> => select(db, namespace)`
      SELECT n.id, n.name, n.tier FROM head h JOIN namespace n ON n.id = h.namespace_id
      WHERE h.audit_seq > coalesce((SELECT c.size FROM audit_checkpoint c
        WHERE c.namespace_id = h.namespace_id ORDER BY c.size DESC LIMIT 1), 0)`,
  }
}

/** The columns hold the note's figures. A note that differs was tampered with; verification finds that. */
const toCheckpoint = ({ size, root, note, time }: CheckpointRecord): SignedCheckpoint => ({
  origin: parseCheckpoint(note)?.origin ?? '',
  size: toNumber(size),
  root,
  note,
  time: toNumber(time),
})

const node = { level: integer, index: bigint, hash: stored<Uint8Array>('bytea') }
const namespace = { id: text, name: text, tier: word(toTier) }

/** The top level of a subtree over the maximum number of rows that a seq can count. */
const topLevel = 53

export type AuditTree = ReturnType<typeof createAuditTree>

import { parseCheckpoint, type SignedCheckpoint } from '../../../model/checkpoint.ts'
import { type AuditTree, blockLevel } from '../../../ports/catalog/audit-tree.ts'
import { bigint, integer, stored, text, word } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toTier } from '../database/words.ts'
import { select } from './select.ts'

interface CheckpointRecord {
  size: bigint
  root: Uint8Array
  note: string
  time: bigint
}

export function createAuditTree(db: Db): AuditTree {
  const checkpoint: AuditTree['checkpoint'] = async (namespaceId, size) => {
    const record = await db.auditCheckpoint.findFirst({
      where: { namespaceId, ...(size === 'newest' ? {} : { size }) },
      orderBy: { size: 'desc' },
    })
    return record && toCheckpoint(record)
  }
  return {
    ...auditNodes(db),
    checkpoint,

    keepNodes: async (namespaceId, nodes) => {
      const rows = nodes.map(({ level, index, hash }) => ({ namespaceId, level, index, hash: Uint8Array.from(hash) }))
      await db.auditNode.createMany({ data: rows, skipDuplicates: true })
    },

    keepCheckpoint: async (namespaceId, { size, root, note, time }) => {
      const kept = { namespaceId, size, root: Uint8Array.from(root), note, time }
      await db.auditCheckpoint.createMany({ data: [kept], skipDuplicates: true })
      const found = await checkpoint(namespaceId, size)
      if (found === null) throw new Error('a checkpoint that was kept is gone')
      return found
    },

    checkpoints: async (namespaceId, above, limit) => {
      const records = await db.auditCheckpoint.findMany({
        where: { namespaceId, size: { gt: above } },
        orderBy: { size: 'asc' },
        take: limit,
      })
      return records.map(toCheckpoint)
    },
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

type Nodes = Pick<AuditTree, 'nodesOver' | 'strayNode' | 'nodes' | 'signed' | 'grown'>

const auditNodes = (db: Db): Nodes => ({
  nodesOver: (namespaceId, above, upTo) => select(db, node)`
    SELECT n.level, n.index, n.hash FROM generate_series(${blockLevel}::int, ${topLevel}::int) AS l(level)
    JOIN audit_node n ON n.namespace_id = ${namespaceId} AND n.level = l.level
      AND n.index >= ${above}::bigint >> l.level AND n.index < ${upTo}::bigint >> l.level`,

  strayNode: async (namespaceId) => {
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

  nodes: async (namespaceId, subtrees) => {
    if (subtrees.length === 0) return []
    return select(db, node)`
      SELECT n.level, n.index, n.hash FROM audit_node n
      JOIN unnest(${subtrees.map(({ level }) => level)}::int[], ${subtrees.map(({ index }) => index)}::bigint[])
        AS w(level, index) ON n.level = w.level AND n.index = w.index
      WHERE n.namespace_id = ${namespaceId}`
  },

  signed: () => select(db, { ...namespace, size: bigint })`
    SELECT n.id, n.name, n.tier, c.size FROM namespace n CROSS JOIN LATERAL (SELECT k.size FROM audit_checkpoint k
      WHERE k.namespace_id = n.id ORDER BY k.size DESC LIMIT 1) c`,

  grown: () => select(db, namespace)`
    SELECT n.id, n.name, n.tier FROM head h JOIN namespace n ON n.id = h.namespace_id
    WHERE h.audit_seq > coalesce((SELECT c.size FROM audit_checkpoint c
      WHERE c.namespace_id = h.namespace_id ORDER BY c.size DESC LIMIT 1), 0)`,
})

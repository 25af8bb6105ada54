import { parseCheckpoint, type SignedCheckpoint } from '../../model/checkpoint.ts'
import type { TierName } from '../../model/tiers.ts'
import { type AuditTree, blockLevel } from '../../ports/audit-tree.ts'
import { type Db, toNumber } from './db.ts'

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
    checkpoint,

    covered: async (namespaceId) => {
      const last = await db.auditNode.findFirst({
        where: { namespaceId, level: blockLevel },
        orderBy: { index: 'desc' },
        select: { index: true },
      })
      return last ? (toNumber(last.index) + 1) * 2 ** blockLevel : 0
    },

    keepNodes: async (namespaceId, nodes) => {
      await db.$executeRaw`
        INSERT INTO audit_node (namespace_id, level, index, hash)
        SELECT ${namespaceId}, n.level, n.index, decode(n.hash, 'hex')
        FROM unnest(${nodes.map(({ level }) => level)}::int[], ${nodes.map(({ index }) => index)}::bigint[],
          ${nodes.map(({ hash }) => Buffer.from(hash).toString('hex'))}::text[]) AS n(level, index, hash)
        ON CONFLICT DO NOTHING`
    },

    nodes: async (namespaceId, subtrees) => {
      if (subtrees.length === 0) return []
      const nodes = await db.$queryRaw<{ level: number; index: bigint; hash: Uint8Array }[]>`
        SELECT n.level, n.index, n.hash FROM audit_node n
        JOIN unnest(${subtrees.map(({ level }) => level)}::int[], ${subtrees.map(({ index }) => index)}::bigint[])
          AS w(level, index) ON n.level = w.level AND n.index = w.index
        WHERE n.namespace_id = ${namespaceId}`
      return nodes.map(({ index, ...node }) => ({ ...node, index: toNumber(index) }))
    },

    keepCheckpoint: async (namespaceId, { size, root, note, time }) => {
      await db.$executeRaw`
        INSERT INTO audit_checkpoint (namespace_id, size, root, note, time)
        VALUES (${namespaceId}, ${size}, ${root}, ${note}, ${time}) ON CONFLICT DO NOTHING`
      const kept = await checkpoint(namespaceId, size)
      if (kept === null) throw new Error('a checkpoint that was kept is gone')
      return kept
    },

    checkpoints: async (namespaceId, above, limit) => {
      const records = await db.auditCheckpoint.findMany({
        where: { namespaceId, size: { gt: above } },
        orderBy: { size: 'asc' },
        take: limit,
      })
      return records.map(toCheckpoint)
    },

    grown: () => db.$queryRaw<{ id: string; name: string; tier: TierName }[]>`
      SELECT n.id, n.name, n.tier FROM head h JOIN namespace n ON n.id = h.namespace_id
      WHERE h.audit_seq > coalesce((SELECT c.size FROM audit_checkpoint c
        WHERE c.namespace_id = h.namespace_id ORDER BY c.size DESC LIMIT 1), 0)`,
  }
}

/** The columns stand for the note's own figures; what they say beyond it was tampered with, which verification finds. */
const toCheckpoint = ({ size, root, note, time }: CheckpointRecord): SignedCheckpoint => ({
  origin: parseCheckpoint(note)?.origin ?? '',
  size: toNumber(size),
  root,
  note,
  time: toNumber(time),
})

import { parseCheckpoint, type SignedCheckpoint } from '../../../model/checkpoint.ts'
import type { AuditTree } from '../../../ports/catalog/audit-tree.ts'
import { type Db, toNumber } from '../database/db.ts'
import { auditNodes } from '../sql/audit/audit-tree.ts'

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

import type { NamespaceWriter } from '../../../ports/catalog.ts'
import type { Db } from '../db.ts'
import { appendAudit, type Head } from './head.ts'
import { insertVectors, putUnits } from './put-units.ts'
import { purgeUnits, tombstoneUnits } from './remove-units.ts'
import { createScopeWriter } from './scopes.ts'
import { selectUnits } from './select-units.ts'

/** The writes of one transaction, under a locked head row. */
export function createWriter(db: Db, head: Head): NamespaceWriter {
  const namespaceId = head.namespace.id
  return {
    namespace: head.namespace,
    seq: () => head.seq,
    documents: () => head.documents,
    scopes: createScopeWriter(db, head),

    insertGrant: async ({ perms, groups, ...grant }) => {
      await db.grant.create({ data: { ...grant, namespaceId, perms: [...perms], groups: [...groups] } })
    },

    units: {
      findExternal: async (writer, externalIds) => {
        const rows = await db.unit.findMany({
          where: { namespaceId, writer, state: 'live', externalId: { in: [...externalIds] } },
          select: { unitId: true, scopeId: true, externalId: true, contentHash: true, embedPending: true },
        })
        return rows.flatMap(({ externalId, contentHash, ...row }) =>
          externalId === null ? [] : [{ ...row, externalId, contentHash: contentHash ?? '' }],
        )
      },
      put: (rows, now) => putUnits(db, head, rows, now),
      select: (selection, limit) => selectUnits(db, namespaceId, selection, limit),
      tombstone: (unitIds, now) => tombstoneUnits(db, head, unitIds, now),
      purge: (unitIds, now) => purgeUnits(db, head, unitIds, now),

      embed: async (unitId, seq, vector) => {
        const next = head.seq + 1
        const changed = await db.unit.updateMany({
          where: { namespaceId, unitId, seq, embedPending: true, state: 'live' },
          data: { seq: next, embedPending: false, hasVector: vector !== null },
        })
        if (changed.count === 0) return false
        head.seq = next
        if (vector === null) return true
        await insertVectors(db, namespaceId, [{ unitId, vector }])
        await db.$executeRaw`
          UPDATE unit_count AS c SET vectors = c.vectors + 1 FROM unit u
          WHERE u.namespace_id = ${namespaceId} AND u.unit_id = ${unitId} AND c.namespace_id = u.namespace_id
            AND c.scope_id = u.scope_id AND c.acl_set_id = u.acl_set_id AND c.plane = u.plane`
        return true
      },
    },

    fixDims: async (plane, model, dims) => {
      const key = { namespaceId, plane, model }
      const row = await db.planeModel.upsert({
        where: { namespaceId_plane_model: key },
        create: { ...key, dims },
        update: {},
      })
      return row.dims
    },

    insertSource: async (source) => {
      await db.source.create({ data: { ...source, namespaceId } })
    },

    audit: async (entry) => appendAudit(head, entry),
  }
}

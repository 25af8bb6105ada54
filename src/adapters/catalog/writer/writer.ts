import type { GrantRow, NamespaceWriter } from '../../../ports/namespace-writer.ts'
import { integer, text } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { select } from '../database/select.ts'
import { type UnitColumn, unitTable } from '../units/columns.ts'
import { createModelChangeWriter, fixDims } from './change-model.ts'
import { unsweptDocuments } from './counters.ts'
import { createEvaluationWriter } from './evaluation.ts'
import { appendAudit, type Head } from './head.ts'
import { insertVectors, putUnits } from './put-units.ts'
import { purgeUnits, tombstoneUnits } from './remove-units.ts'
import { createScopeWriter } from './scopes.ts'
import { findExternal, readUnits, replacedUnits, resolveUnits, selectUnits } from './select-units.ts'
import { createTokenWriter } from './tokens.ts'
import { restoreUnits, updateUnit } from './update-units.ts'

/** The writes of one transaction, under a locked head row. */
export function createWriter(db: Db, head: Head, table: readonly UnitColumn[] = unitTable): NamespaceWriter {
  const namespaceId = head.namespace.id
  return {
    namespace: head.namespace,
    seq: () => head.seq,
    documents: () => head.documents,
    liveDocuments: async () => head.documents - (await unsweptDocuments(db, namespaceId)),
    scopes: createScopeWriter(db, head),

    insertGrant: (grant) => insertGrant(db, namespaceId, grant),

    tokens: createTokenWriter(db),

    units: {
      findExternal: (writer, externalIds) => findExternal(db, namespaceId, writer, externalIds),
      put: (rows, now) => putUnits(db, head, rows, now, table),
      select: (selection, limit) => selectUnits(db, namespaceId, selection, limit),
      resolve: (selection, writer) => resolveUnits(db, namespaceId, selection, writer),
      read: (selection, limit) => readUnits(db, namespaceId, selection, limit),
      update: (change, now) => updateUnit(db, head, change, now),
      restore: (unitIds, now) => restoreUnits(db, head, unitIds, now),
      writersOf: (docIds) => select(db, { docId: text, writer: text, units: integer })`
        SELECT u.doc_id AS "docId", u.writer, count(*)::int AS units FROM unit u
        JOIN scope s ON s.namespace_id = u.namespace_id AND s.id = u.scope_id AND s.deleted_at IS NULL
        WHERE u.namespace_id = ${namespaceId} AND u.doc_id = ANY(${[...docIds]}::text[]) AND u.state = 'live'
        GROUP BY u.doc_id, u.writer`,
      replaced: (unitIds, reach) => replacedUnits(db, namespaceId, unitIds, reach),
      tombstone: (unitIds, now) => tombstoneUnits(db, head, unitIds, now),
      purge: (unitIds, now) => purgeUnits(db, head, unitIds, now, table),

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

    fixDims: (plane, model, dims) => fixDims(db, namespaceId, plane, model, dims),
    modelChange: createModelChangeWriter(db, head),

    insertSource: async (source) => {
      await db.source.create({ data: { ...source, namespaceId } })
    },

    evaluation: createEvaluationWriter(db, namespaceId),

    insertExportLink: async (link) => {
      await db.auditExport.create({ data: { ...link, namespaceId } })
    },

    audit: async (entry) => appendAudit(head, entry),
  }
}

export async function insertGrant(db: Db, namespaceId: string, { perms, groups, ...grant }: GrantRow): Promise<void> {
  await db.grant.create({ data: { ...grant, namespaceId, perms: [...perms], groups: [...groups] } })
}

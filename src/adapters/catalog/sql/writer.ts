import type { GrantRow, NamespaceWriter } from '../../../ports/catalog/namespace-writer.ts'
import type { Db } from '../database/db.ts'
import { createAgentWriter } from './agents.ts'
import { purgeUnits, restoreUnits, tombstoneUnits, updateUnits } from './change-units.ts'
import { createTokenWriter } from './credentials.ts'
import { createDocumentWriter } from './documents.ts'
import { createEvaluationWriter } from './evaluation.ts'
import { appendAudit, type Head } from './head.ts'
import { createModelChangeWriter, fixDims, resetOwnVectors } from './plane-models.ts'
import { insertVectors, putUnits } from './put-units.ts'
import { createKeptAnswers } from './requests.ts'
import { createScopeWriter } from './scopes.ts'
import { findExternal, readUnits, replacedUnits, resolveUnits, selectUnits } from './select-units.ts'
import { createSourceWriter } from './sources.ts'
import { type UnitColumn, unitTable } from './unit-columns.ts'
import { countVector, unsweptDocuments } from './unit-counters.ts'

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
    agents: createAgentWriter(db),

    units: {
      findExternal: (writer, externalIds) => findExternal(db, namespaceId, writer, externalIds),
      put: (rows, now) => putUnits(db, head, rows, now, table),
      select: (selection, limit) => selectUnits(db, namespaceId, selection, limit),
      resolve: (selection, writer) => resolveUnits(db, namespaceId, selection, writer),
      read: (selection, limit) => readUnits(db, namespaceId, selection, limit),
      update: (changes, now) => updateUnits(db, head, changes, now),
      restore: (unitIds, now) => restoreUnits(db, head, unitIds, now),
      writersOf: async (docIds) => {
        const rows = await db.unit.groupBy({
          by: ['docId', 'writer'],
          where: { namespaceId, docId: { in: [...docIds] }, state: 'live', scope: { deletedAt: null } },
          _count: true,
        })
        return rows.map(({ docId, writer, _count }) => ({ docId: docId ?? '', writer, units: _count }))
      },
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
        await countVector(db, namespaceId, unitId)
        return true
      },
    },

    fixDims: (plane, model, dims) => fixDims(db, namespaceId, plane, model, dims),
    resetOwnVectors: (plane) => resetOwnVectors(db, head, plane),
    modelChange: createModelChangeWriter(db, head),

    ingested: createDocumentWriter(db, head),

    sources: createSourceWriter(db, namespaceId),

    evaluation: createEvaluationWriter(db, namespaceId),

    insertExportLink: async (link) => {
      await db.auditExport.create({ data: { ...link, namespaceId } })
    },

    kept: createKeptAnswers(db),

    audit: async (entry) => appendAudit(head, entry),
  }
}

export async function insertGrant(db: Db, namespaceId: string, { perms, groups, ...grant }: GrantRow): Promise<void> {
  await db.grant.create({ data: { ...grant, namespaceId, perms: [...perms], groups: [...groups] } })
}

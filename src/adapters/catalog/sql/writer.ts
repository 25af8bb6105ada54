import type { AuditEntry } from '../../../model/audit.ts'
import type { Grant } from '../../../model/registry.ts'
import type { Plane } from '../../../model/unit.ts'
import type { Db } from '../database/db.ts'
import { createAgentWriter } from './agents.ts'
import type { ExportLinkRow } from './audit.ts'
import { createReaderChanges, createUnitChanges } from './change-units.ts'
import { createTokenWriter } from './credentials.ts'
import { createDocumentWriter } from './documents.ts'
import { createEvaluationWriter } from './evaluation.ts'
import { appendAudit, type Head } from './head.ts'
import { createModelChangeWriter, fixDims, resetOwnVectors } from './plane-models.ts'
import { createUnitPuts } from './put-units.ts'
import { createKeptAnswers } from './requests.ts'
import { createScopeWriter } from './scopes.ts'
import { createUnitSelection } from './select-units.ts'
import { createSourceWriter } from './sources.ts'
import { type UnitColumn, unitTable } from './unit-columns.ts'
import { unsweptDocuments } from './unit-counters.ts'

export interface GrantRow extends Grant {
  inheritedGroups?: readonly string[]
  principalId: string
  grantedBy: string
  createdAt: number
}

/** Writes of one namespace, under its head row. Counters, seqs and the chain change together with them or not at all. */
export function createWriter(db: Db, head: Head, table: readonly UnitColumn[] = unitTable) {
  const namespaceId = head.namespace.id
  return {
    namespace: head.namespace,
    /** The seq of the latest Unit change, including those of this transaction. */
    seq: (): number => head.seq,
    /**
     * Documents with a Unit, including the changes of this transaction. Documents of deleted scopes that are not swept
     * yet count too, so the number of live documents is never higher.
     */
    documents: (): number => head.documents,
    /**
     * Live documents: those of `documents` that have a Unit outside of deleted scopes. Reads the Units still to be swept.
     */
    liveDocuments: async () => head.documents - (await unsweptDocuments(db, namespaceId)),
    scopes: createScopeWriter(db, head),

    insertGrant: (grant: GrantRow): Promise<void> => insertGrant(db, namespaceId, grant),

    /** For principals homed in the namespace. */
    tokens: createTokenWriter(db),
    /** For principals homed in the namespace. */
    agents: createAgentWriter(db),

    units: {
      ...createUnitSelection(db, namespaceId),
      ...createUnitPuts(db, head, table),
      ...createUnitChanges(db, head, table),
      ...createReaderChanges(db, head),
    },

    /** The dims of a plane's model; records them for the first vector. Without live ones, those of `own` are forgotten. */
    fixDims: (plane: Plane, model: string, dims: number): Promise<number> =>
      fixDims(db, namespaceId, plane, model, dims),
    /**
     * Takes callers' own vectors from all Units of a plane, under the next seqs; those with a text wait for an embedding.
     * The plane's dimensions are free again. Returns the number of live Units.
     */
    resetOwnVectors: (plane: Plane): Promise<number> => resetOwnVectors(db, head, plane),
    modelChange: createModelChangeWriter(db, head),

    ingested: createDocumentWriter(db, head),

    sources: createSourceWriter(db, head),

    evaluation: createEvaluationWriter(db, namespaceId),

    insertExportLink: async (link: ExportLinkRow) => {
      await db.auditExport.create({ data: { ...link, namespaceId } })
    },

    kept: createKeptAnswers(db),

    audit: async (entry: AuditEntry) => appendAudit(head, entry),
  }
}

export async function insertGrant(
  db: Db,
  namespaceId: string,
  { perms, groups, inheritedGroups = [], ...grant }: GrantRow,
): Promise<void> {
  const held = { groups: [...groups], inheritedGroups: [...inheritedGroups] }
  await db.grant.create({ data: { ...grant, ...held, namespaceId, perms: [...perms] } })
}

export type NamespaceWriter = ReturnType<typeof createWriter>

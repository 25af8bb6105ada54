import type { Scope } from '../../../model/registry.ts'
import type { Locator, Metadata, Modality, Plane, Unit } from '../../../model/unit.ts'
import { Prisma } from '../generated/client.ts'

/** The columns of a Unit joined with its scope and ACL set, as `unitColumns` selects them. */
export interface UnitRecord {
  unit_id: string
  seq: bigint
  scope_id: string
  path: string
  plane: Plane
  modality: Modality
  /** Null also for a long text: `text_bytes` says so. */
  text: string | null
  text_bytes: number | null
  source_uri: string | null
  mime: string | null
  locator: Locator | null
  doc_id: string | null
  external_id: string | null
  owner: string
  groups: string[]
  metadata: Metadata
  created_at: bigint
  updated_at: bigint
}

/** Longer texts are read apart, some at a time: a page of them would hold up the event loop. Bytes of UTF-8. */
export const longText = 16_384

export const unitColumns = Prisma.sql`
  u.unit_id, u.seq, u.scope_id, s.path, u.plane, u.modality, octet_length(u.text) AS text_bytes,
  CASE WHEN octet_length(u.text) <= ${longText} THEN u.text END AS text, u.source_uri, u.mime, u.locator, u.doc_id,
  u.external_id, a.owner, a.groups, u.metadata, u.created_at, u.updated_at`

export const unitJoins = (units: Prisma.Sql): Prisma.Sql => Prisma.sql`
  ${units} u
  JOIN scope s ON s.namespace_id = u.namespace_id AND s.id = u.scope_id AND s.deleted_at IS NULL
  JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id`

export function toUnit(row: UnitRecord): Unit {
  return {
    unitId: row.unit_id,
    seq: Number(row.seq),
    scope: row.path,
    plane: row.plane,
    modality: row.modality,
    text: row.text,
    sourceUri: row.source_uri,
    mime: row.mime,
    locator: row.locator,
    docId: row.doc_id,
    externalId: row.external_id,
    acl: { owner: row.owner, groups: row.groups },
    metadata: row.metadata,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  }
}

export interface ScopeRecord {
  id: string
  path: string
  parent: string | null
  planes: Plane[]
  read_only_agents: boolean
  created_at: bigint | number
}

export function toScope(row: ScopeRecord, namespace: string): Scope {
  return {
    id: row.id,
    scope: row.path,
    namespace,
    parent: row.parent,
    planes: row.planes,
    readOnlyAgents: row.read_only_agents,
    createdAt: Number(row.created_at),
  }
}

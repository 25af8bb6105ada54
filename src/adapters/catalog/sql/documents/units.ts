import { type Metadata, modalities } from '../../../../model/unit.ts'
import type { DocumentUnit } from '../../../../ports/catalog/documents.ts'
import { bool, json, oneOf, orNull, text, texts, word } from '../../database/columns.ts'
import type { Db } from '../../database/db.ts'
import { select } from '../select.ts'
import { plane } from '../units/rows.ts'

const columns = {
  unitId: text,
  state: word(oneOf(['live', 'tombstoned'] as const, 'a state of a Unit that can be changed')),
  scopeId: text,
  externalId: orNull(text),
  plane,
  modality: word(oneOf(modalities, 'a modality')),
  sourceUri: orNull(text),
  sourceByWriter: bool,
  owner: text,
  groups: texts,
  metadata: json<Metadata>(),
  title: orNull(text),
  contentHash: text,
  embedPending: bool,
  textHash: orNull(text),
}

/** The Units of a document that are not purged, in ingest order. */
export async function unitsOfDocument(db: Db, namespaceId: string, documentId: string): Promise<DocumentUnit[]> {
  const rows = await select(db, columns)`
    SELECT u.unit_id AS "unitId", u.state, u.scope_id AS "scopeId", u.external_id AS "externalId", u.plane, u.modality,
      u.source_uri AS "sourceUri", u.source_by_writer IS NOT FALSE AS "sourceByWriter", a.owner, a.groups, u.metadata, u.title, coalesce(u.content_hash, '') AS "contentHash", u.embed_pending AS "embedPending",
      encode(sha256(convert_to(u.text, 'UTF8')), 'hex') AS "textHash"
    FROM unit u JOIN acl_set a ON a.namespace_id = u.namespace_id AND a.id = u.acl_set_id
    WHERE u.namespace_id = ${namespaceId} AND u.document_id = ${documentId} AND u.state <> 'purged' ORDER BY u.ordinal`
  return rows.map(({ owner, groups, ...unit }) => ({ ...unit, acl: { owner, groups } }))
}

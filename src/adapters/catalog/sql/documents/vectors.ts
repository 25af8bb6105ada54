import type { Plane } from '../../../../model/unit.ts'
import { bytes, text } from '../../database/columns.ts'
import { type Db, toFloats } from '../../database/db.ts'
import { select } from '../select.ts'

/** See `DocumentReader.vectors`. */
export async function vectorsOfDocument(
  db: Db,
  namespaceId: string,
  documentId: string,
  plane: Plane,
  model: string,
): Promise<Map<string, Float32Array>> {
  const rows = await select(db, { hash: text, vector: bytes })`
    SELECT encode(sha256(convert_to(u.text, 'UTF8')), 'hex') AS hash, v.vector FROM unit u
    JOIN unit_vector v ON v.namespace_id = u.namespace_id AND v.unit_id = u.unit_id AND v.model = ${model}
    WHERE u.namespace_id = ${namespaceId} AND u.document_id = ${documentId} AND u.plane = ${plane} AND u.state = 'live'
      AND u.text IS NOT NULL`
  return new Map(rows.map(({ hash, vector }) => [hash, toFloats(vector)]))
}

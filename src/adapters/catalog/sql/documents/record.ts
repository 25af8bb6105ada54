import {
  type DocumentRecord,
  documentReasons,
  documentStatuses,
  type FoundVersion,
} from '../../../../model/document.ts'
import type { Metadata } from '../../../../model/unit.ts'
import { jsonOf, oneOf } from '../../database/columns.ts'
import { toNumber } from '../../database/db.ts'
import type { IngestedDocument } from '../../generated/client.ts'

const toStatus = oneOf(documentStatuses, 'a status of a document')
const toReason = oneOf(documentReasons, 'a reason of a document')

export function toRecord(row: IngestedDocument): DocumentRecord {
  const { found, foundSourceUri, heldBy, heldUntil, dueAt, ...fields } = row
  return {
    ...fields,
    bytes: toNumber(row.bytes),
    metadata: jsonOf<Metadata>(row.metadata),
    found: found === null ? null : jsonOf<FoundVersion>(found),
    status: toStatus(row.status),
    reason: row.reason === null ? null : toReason(row.reason),
    textDueAt: row.textDueAt === null ? null : toNumber(row.textDueAt),
    createdAt: toNumber(row.createdAt),
    updatedAt: toNumber(row.updatedAt),
  }
}

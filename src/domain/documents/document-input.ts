import { z } from 'zod'
import { documentStatuses } from '../../model/document.ts'
import { scopePath } from '../input/fields.ts'
import { metadata } from '../input/metadata.ts'
import { pageInput } from '../input/page.ts'
import { label, text } from '../input/parse.ts'

/** Maximum length of a file's path, and of the text beside it. */
const max = { name: 1024, sidecar: 262_144, ids: 1000 }

export const ingestDocumentInput = z.strictObject({
  sourceUri: label(2048),
  name: label(max.name),
  scope: scopePath.optional(),
  docId: label().optional(),
  aclGroups: z.array(label()).max(64, 'must be at most 64 groups').default([]),
  metadata: metadata.optional(),
  sidecar: text(max.sidecar).optional(),
  force: z.boolean().default(false),
})
export type IngestDocumentInput = z.output<typeof ingestDocumentInput>

const idList = z.array(label()).max(max.ids, `must be at most ${max.ids} ids`)

export const documentIdsInput = z.strictObject({ documentIds: idList.min(1, 'must not be empty') })

export const deleteDocumentsInput = documentIdsInput.extend({ hard: z.boolean().default(false) })

export const documentIdInput = z.strictObject({ documentId: label() })

export const documentsInput = pageInput.extend({
  scope: scopePath.optional(),
  status: z.enum(documentStatuses).optional(),
  docIdPrefix: label().optional(),
})
export type DocumentsInput = z.output<typeof documentsInput>

export const documentChangesInput = z.strictObject({
  documentIds: idList.min(1, 'must not be empty').optional(),
  scope: scopePath.optional(),
})
export type DocumentChangesInput = z.output<typeof documentChangesInput>

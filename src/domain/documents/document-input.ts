import { z } from 'zod'
import { documentStatuses } from '../../model/document.ts'
import { scopePath } from '../input/fields.ts'
import { pageInput } from '../input/page.ts'
import { label, metadata, text } from '../input/parse.ts'

/** Maximum length of a file's path, and of the text beside it. */
const max = { name: 1024, sidecar: 262_144, ids: 1000 }

export const ingestDocumentInput = z
  .strictObject({
    sourceUri: label(2048).describe('A source that the caller uploaded.'),
    name: label(max.name)
      .optional()
      .describe("The path of the file: its Units' `metadata.path`. Default: the name of the source."),
    scope: scopePath.optional().describe('Where its Units go, by the rules of `ingest`.'),
    docId: label().optional().describe('Default: the name.'),
    aclGroups: z
      .array(label())
      .max(64, 'must be at most 64 groups')
      .default([])
      .describe('Groups that may read it; `*` is everyone who may read the scope.'),
    metadata: metadata.optional().describe('What its Units carry, at most 16 KiB.'),
    sidecar: text(max.sidecar)
      .optional()
      .describe('Text that belongs to a picture or recording: plain, or `{text, title, metadata}`.'),
    force: z.boolean().default(false).describe('true parses even what is unchanged.'),
  })
  .meta({
    title: 'IngestDocumentInput',
    about: 'A file that was uploaded, and how its Units are to be.',
  })
export type IngestDocumentInput = z.output<typeof ingestDocumentInput>

const ignored = 'Unknown and hidden ones are ignored.'
const idList = z.array(label()).max(max.ids, `must be at most ${max.ids} ids`).min(1, 'must not be empty')

export const documentIdsInput = z.strictObject({ documentIds: idList.describe(ignored) })

export const deleteDocumentsInput = documentIdsInput.extend({
  hard: z
    .boolean()
    .default(false)
    .describe('true removes Units, texts and sources permanently; false can be undone with `restoreUnits`.'),
})

export const documentIdInput = z.strictObject({ documentId: label().describe('The id.') })

export const documentsInput = pageInput('How many documents to skip.').extend({
  scope: scopePath.optional().describe('This scope and those below it.'),
  status: z.enum(documentStatuses).optional().describe('Only those with this status.'),
  docIds: idList.optional().describe('Only those with one of these docIds.'),
  docIdPrefix: label().optional().describe('Only those whose docId begins with this.'),
})
export type DocumentsInput = z.output<typeof documentsInput>

export const documentChangesInput = z.strictObject({
  documentIds: idList.optional().describe(`Only these. ${ignored}`),
  scope: scopePath.optional().describe('Only those in this scope and below it.'),
})
export type DocumentChangesInput = z.output<typeof documentChangesInput>

import { z } from 'zod'
import { docInput, docsInput, facetsInput, outlineInput } from '../domain/docs/doc-input.ts'
import {
  deleteDocumentsInput,
  documentChangesInput,
  documentIdInput,
  documentIdsInput,
  documentsInput,
  ingestDocumentInput,
} from '../domain/documents/document-input.ts'
import { label, notice, type Operation, place, reads, scope, writesBelow } from './operation.ts'

export const documents = {
  document: {
    kind: 'query',
    description:
      'A document that the caller wrote, or of which it may read a Unit. Others are not found. Needs `read`.',
    args: documentIdInput,
    needs: reads,
    reach: 'clamped',
  },
  documents: {
    kind: 'query',
    description: 'Documents that the caller wrote, or of which it may read a Unit, by docId. Needs `read`.',
    args: documentsInput,
    needs: reads,
    reach: 'clamped',
  },
  ingestDocument: {
    kind: 'mutation',
    description:
      'Takes in a file: its Units are made in the background, and replace those of its former version. An unchanged file stays as it is. Needs `write`.',
    input: ingestDocumentInput.describe('The file.'),
    needs: writesBelow,
    reach: 'clamped',
  },
  retryDocuments: {
    kind: 'mutation',
    description: "Tries the caller's failed documents again; others are returned as they are. Needs `write`.",
    args: documentIdsInput,
    needs: writesBelow,
    reach: 'clamped',
  },
  deleteDocuments: {
    kind: 'mutation',
    description:
      'Deletes documents with those inside of them: readable Units in writable scopes, and what is queued. Needs `write`.',
    args: deleteDocumentsInput,
    needs: writesBelow,
    reach: 'clamped',
  },
  documentChanges: {
    kind: 'subscription',
    description:
      'First each document that the caller may see, then its changes, at most one a second. With `documentIds` it completes when all of them are ready or failed. Needs `read`.',
    args: documentChangesInput,
    needs: reads,
    reach: 'clamped',
    weight: 100,
  },
} satisfies Record<string, Operation>

export const docs = {
  docs: {
    kind: 'query',
    description: 'Documents of which the caller may read a Unit, by first write, newest first. Needs `read`.',
    args: docsInput,
    needs: reads,
    reach: 'clamped',
  },
  doc: {
    kind: 'query',
    description: 'One document. Without a readable Unit it is not found. Needs `read`.',
    args: docInput,
    needs: reads,
    reach: 'clamped',
  },
  outline: {
    kind: 'query',
    description:
      'The headings of a document above Units that the caller may read. Without a readable Unit it is not found. Needs `read`.',
    args: outlineInput,
    needs: reads,
    reach: 'clamped',
    tool: {
      name: 'outline',
      title: 'Outline',
      description: `Lists the headings of a document, each with the first Unit under it. ${notice}`,
      input: z.strictObject({
        doc_id: label.describe('The `doc_id` of a result.'),
        scope: scope.optional(),
        limit: z.int('must be an integer').min(1, 'must be at least 1').max(100, 'must be at most 100').default(100),
        cursor: place('The `next_cursor` of the page before.'),
      }),
      output: z.object({
        doc_id: z.string(),
        title: z.string(),
        headings: z.array(z.object({ title: z.string(), level: z.number(), id: z.string(), units: z.number() })),
        count: z.number(),
        next_cursor: z.number().nullable(),
        notice: z.string(),
      }),
      answer: 'doc_id title headings { title level unit_id units } count next_cursor',
      args: { docId: 'doc_id', limit: 'limit', cursor: 'cursor' },
    },
  },
  facets: {
    kind: 'query',
    description:
      'Counts readable Units in the effective scopes that meet the filters, by the values of fields. Needs `read`.',
    input: facetsInput.describe('What to count.'),
    needs: reads,
    reach: 'clamped',
  },
} satisfies Record<string, Operation>

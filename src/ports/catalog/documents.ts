export type { ClaimedDocument, HeldRun, RunEnd } from '../../adapters/catalog/sql/document-records.ts'
export type {
  DocumentFilter,
  DocumentReader,
  DocumentUnit,
  SeenDocument,
  UploadedSource,
} from '../../adapters/catalog/sql/documents.ts'

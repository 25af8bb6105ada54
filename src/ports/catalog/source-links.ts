export type { ContentType, Rendition, SourceRow, StoredSource, UploadRow } from '../../adapters/catalog/sql/sources.ts'

export type { IndexCursors, IndexLease } from '../../adapters/catalog/sql/index-cursors.ts'

export type { SequencedQuery } from '../../adapters/catalog/sql/evaluation.ts'

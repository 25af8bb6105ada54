export type { Visibility } from '../../adapters/catalog/sql/unit-conditions.ts'

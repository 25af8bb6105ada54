export type { AccessReader, Membership } from '../../adapters/catalog/sql/access.ts'

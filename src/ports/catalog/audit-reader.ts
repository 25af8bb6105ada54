export type { AuditReader, AuditVisibility } from '../../adapters/catalog/sql/audit.ts'

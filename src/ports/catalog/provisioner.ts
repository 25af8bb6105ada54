export type { Provisioner, Revoked } from '../../adapters/catalog/sql/provisioner.ts'

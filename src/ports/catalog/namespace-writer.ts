export type { UnitRow } from '../../adapters/catalog/sql/put-units.ts'
export type { KnownUnit, StoredUnit, UnitReach, UnitSelection } from '../../adapters/catalog/sql/select-units.ts'
export type { NamespaceWriter } from '../../adapters/catalog/sql/writer.ts'

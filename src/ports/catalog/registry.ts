export type { RegistryReader } from '../../adapters/catalog/sql/registry.ts'

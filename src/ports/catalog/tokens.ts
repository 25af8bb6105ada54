export type { ApiKey, TokenUse } from '../../adapters/catalog/sql/credentials.ts'

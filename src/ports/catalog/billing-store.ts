export type { BillingWriter, RaisedNamespace } from '../../adapters/catalog/sql/billing.ts'

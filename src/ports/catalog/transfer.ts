export type { TransferNamespace, TransferWriter } from '../../adapters/catalog/sql/transfer.ts'

import type { TransferStore } from '../../../../ports/catalog/transfer.ts'
import type { PrismaClient } from '../../generated/client.ts'
import { setReadOnly } from '../transaction.ts'
import { namespacesBy } from './namespaces.ts'
import { readTables } from './read.ts'
import { transferTables } from './tables.ts'
import { createTransferWriter } from './write.ts'

/** Reading or writing everything has no time limit in practice. */
const transactionLimits = { maxWait: 60_000, timeout: 7 * 24 * 60 * 60_000 }

export function createTransferStore(prisma: PrismaClient): TransferStore {
  return {
    kinds: new Map(
      transferTables.map(({ name, columns, derived }) => [
        name,
        [...columns.map(([column]) => column), ...Object.keys(derived)],
      ]),
    ),

    namespaces: (name) => namespacesBy(prisma, selection(name)),

    read: (name, work) =>
      prisma.$transaction(
        async (db) => {
          await setReadOnly(db)
          const found = await namespacesBy(db, selection(name))
          const [only] = found
          return work({
            namespaces: found,
            records: (take) => readTables(db, name === null ? null : (only?.id ?? ''), take),
          })
        },
        { ...transactionLimits, isolationLevel: 'RepeatableRead' },
      ),

    write: (namespaceIds, work) =>
      prisma.$transaction((db) => work(createTransferWriter(db, namespaceIds)), transactionLimits),
  }
}

const selection = (name: string | null) => (name === null ? {} : { name, deletedAt: null })

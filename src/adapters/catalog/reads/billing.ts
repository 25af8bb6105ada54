import type { BillingStore } from '../../../ports/catalog/billing-store.ts'
import { type Db, toNumber } from '../database/db.ts'
import { payersAfter, subscriptionsOfDeleted, takeQuestions, versionsOf } from '../sql/billing.ts'

export function createBillingStore(db: Db): BillingStore {
  return {
    customersOf: async (principalId) => {
      const rows = await db.billingCustomer.findMany({
        where: { principalId, own: true },
        orderBy: [{ createdAt: 'asc' }, { customer: 'asc' }],
      })
      return rows.map(({ customer }) => customer)
    },

    versionsOf: (principalId) => versionsOf(db, principalId),

    mark: async () => {
      const { _max } = await db.billingVersion.aggregate({ _max: { ordinal: true } })
      return toNumber(_max.ordinal ?? 0)
    },

    waiting: (max) => db.billingQuestion.count({ take: max }),

    takeQuestions: (now, limit) => takeQuestions(db, now, limit),

    dueAccounts: async (now, limit) => {
      const rows = await db.billingAccount.findMany({
        where: { changesAt: { lte: now } },
        orderBy: { changesAt: 'asc' },
        take: limit,
      })
      return rows.map(({ principalId }) => principalId)
    },

    subscriptionsOfDeleted: (limit) => subscriptionsOfDeleted(db, limit),

    payers: (after, limit) => payersAfter(db, after, limit),
  }
}

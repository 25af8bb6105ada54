import type { BillingStore } from '../../../ports/billing-store.ts'
import { orNull, text, word } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { select } from '../database/select.ts'
import { toBillingKind } from '../database/words.ts'
import { versionsOf } from './billing-versions.ts'

const leastWaitMs = 5_000
const maxWaitMs = 60 * 60_000

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

    takeQuestions: async (now, limit) => {
      const rows = await select(db, { objectId: text, kind: word(toBillingKind), paymentIntent: orNull(text) })`
        UPDATE billing_question SET tries = tries + 1,
          due_at = ${now}::bigint + least(${maxWaitMs}::bigint, ${leastWaitMs}::bigint << least(tries, 16))
        WHERE object_id IN (
          SELECT object_id FROM billing_question WHERE due_at <= ${now} ORDER BY due_at LIMIT ${limit}
          FOR UPDATE SKIP LOCKED)
        RETURNING object_id AS "objectId", kind, payment_intent AS "paymentIntent"`
      return rows
    },

    dueAccounts: async (now, limit) => {
      const rows = await db.billingAccount.findMany({
        where: { changesAt: { lte: now } },
        orderBy: { changesAt: 'asc' },
        take: limit,
      })
      return rows.map(({ principalId }) => principalId)
    },

    payers: async (after, limit) => {
      const rows = await select(db, { id: text })`
        SELECT id FROM (
          SELECT principal_id AS id FROM billing_customer
          UNION SELECT principal_id FROM billing_account
          UNION SELECT principal_id FROM billing_version) AS payer
        WHERE id > ${after} ORDER BY id LIMIT ${limit}`
      return rows.map(({ id }) => id)
    },
  }
}

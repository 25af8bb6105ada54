import type { BillingFacts, BillingVersion } from '../../../model/billing.ts'
import { type Db, toNumber } from '../database/db.ts'

interface Row extends Omit<BillingVersion, 'at' | 'source' | 'facts'> {
  at: bigint
  source: string
  facts: unknown
}

/** Facts are kept as they were normalised: the column holds nothing else. */
export function toVersion({ id, objectId, customer, paymentIntent, principalId, at, ...row }: Row): BillingVersion {
  const { rank, facts } = row
  const source = row.source as BillingVersion['source']
  const whose = { customer, paymentIntent, principalId }
  return { id, objectId, ...whose, at: toNumber(at), source, rank, facts: facts as BillingFacts }
}

/** What its customers bought, what names it as the payer, and what was paid with the same payments. */
export async function versionsOf(db: Db, principalId: string): Promise<BillingVersion[]> {
  const rows = await db.$queryRaw<Row[]>`
    WITH own AS (
      SELECT id, payment_intent FROM billing_version
      WHERE principal_id = ${principalId}
        OR customer IN (SELECT customer FROM billing_customer WHERE principal_id = ${principalId}))
    SELECT v.id, v.object_id AS "objectId", v.customer, v.payment_intent AS "paymentIntent",
      v.principal_id AS "principalId", v.at, v.source, v.rank, v.facts
    FROM billing_version v
    WHERE v.id IN (SELECT id FROM own) OR v.payment_intent IN (SELECT payment_intent FROM own)
    ORDER BY v.ordinal`
  return rows.map(toVersion)
}

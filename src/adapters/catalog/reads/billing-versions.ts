import type { BillingFacts, BillingVersion } from '../../../model/billing.ts'
import { bigint, integer, json, jsonOf, oneOf, orNull, type Row, text } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { select } from '../database/select.ts'
import { toBillingKind } from '../database/words.ts'

const columns = {
  id: text,
  objectId: text,
  customer: orNull(text),
  paymentIntent: orNull(text),
  principalId: orNull(text),
  at: bigint,
  source: text,
  rank: integer,
  facts: json<object>(),
}

interface StoredVersion extends Omit<Row<typeof columns>, 'at' | 'facts'> {
  at: bigint | number
  facts: unknown
}

/** The column holds only facts that were normalised. */
export function toVersion({
  id,
  objectId,
  customer,
  paymentIntent,
  principalId,
  ...row
}: StoredVersion): BillingVersion {
  const facts = jsonOf<BillingFacts>(row.facts)
  toBillingKind(facts.kind)
  const [at, source] = [toNumber(row.at), toSource(row.source)]
  return { id, objectId, customer, paymentIntent, principalId, at, source, rank: row.rank, facts }
}

const toSource = oneOf(['event', 'lookup'] as const, 'a source of billing versions')

/** What its customers bought, what names it as the payer, and what the same payments paid for. */
export async function versionsOf(db: Db, principalId: string): Promise<BillingVersion[]> {
  const rows = await select(db, columns)`
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

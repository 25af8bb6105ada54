import type { BillingFacts, BillingVersion, PaidTier } from '../../../model/billing.ts'
import type { BillingStore } from '../../../ports/catalog/billing-store.ts'
import { bigint, integer, json, jsonOf, oneOf, orNull, type Row, text, word } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toBillingKind, toPaidTier } from '../database/words.ts'
import { select } from './select.ts'

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

const minWaitMs = 5_000
const maxWaitMs = 60 * 60_000

/** See `BillingStore.takeQuestions`. */
export const takeQuestions = (db: Db, now: number, limit: number): ReturnType<BillingStore['takeQuestions']> =>
  select(db, { objectId: text, kind: word(toBillingKind), paymentIntent: orNull(text) })`
    UPDATE billing_question SET tries = tries + 1,
      due_at = ${now}::bigint + least(${maxWaitMs}::bigint, ${minWaitMs}::bigint << least(tries, 16))
    WHERE object_id IN (
      SELECT object_id FROM billing_question WHERE due_at <= ${now} ORDER BY due_at LIMIT ${limit}
      FOR UPDATE SKIP LOCKED)
    RETURNING object_id AS "objectId", kind, payment_intent AS "paymentIntent"`

/** See `BillingStore.payers`. */
export async function payersAfter(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await select(db, { id: text })`
    SELECT id FROM (
      SELECT principal_id AS id FROM billing_customer
      UNION SELECT principal_id FROM billing_account
      UNION SELECT principal_id FROM billing_version) AS payer
    WHERE id > ${after} ORDER BY id LIMIT ${limit}`
  return rows.map(({ id }) => id)
}

type Payment = Pick<BillingVersion, 'customer' | 'principalId' | 'paymentIntent'>

/** See `BillingWriter.payerOf`. */
export async function payerOf(db: Db, { customer, principalId, paymentIntent }: Payment): Promise<string | null> {
  const [row] = await select(db, { id: text })`
    SELECT p.principal_id AS id FROM (
      SELECT 1 AS step, principal_id FROM billing_customer WHERE customer = ${customer}
      UNION ALL SELECT 2, ${principalId}::text WHERE ${customer}::text IS NULL
      UNION ALL SELECT 3, coalesce(c.principal_id, v.principal_id)
        FROM billing_version v LEFT JOIN billing_customer c ON c.customer = v.customer
        WHERE v.payment_intent = ${paymentIntent}) AS candidate
    JOIN principal p ON p.principal_id = candidate.principal_id
    ORDER BY step, p.principal_id LIMIT 1`
  return row?.id ?? null
}

/** See `BillingWriter.paidFor`. */
export async function paidFor(db: Db, namespaceId: string): Promise<PaidTier[]> {
  const rows = await select(db, { tier: word(toPaidTier) })`
    SELECT DISTINCT a.tier FROM billing_account a WHERE a.tier IS NOT NULL AND a.principal_id = ANY(ARRAY(
      SELECT principal_id FROM principal WHERE namespace_id = ${namespaceId}
      UNION SELECT owner FROM namespace WHERE id = ${namespaceId}))`
  return rows.map(({ tier }) => tier)
}

/** See `BillingStore.subscriptionsOfDeleted`. What ended never begins again. */
export async function subscriptionsOfDeleted(db: Db, limit: number): Promise<string[]> {
  const rows = await select(db, { id: text })`
    SELECT DISTINCT v.object_id AS id FROM principal p
    JOIN billing_customer c ON c.principal_id = p.principal_id
    JOIN billing_version v ON v.customer = c.customer AND v.kind = 'subscription'
    WHERE p.deleted_at IS NOT NULL AND NOT EXISTS (SELECT FROM billing_version e WHERE e.object_id = v.object_id
      AND e.facts ->> 'status' IN ('canceled', 'incomplete_expired', 'missing'))
    ORDER BY v.object_id LIMIT ${limit}`
  return rows.map(({ id }) => id)
}

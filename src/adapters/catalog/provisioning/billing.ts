import type { PaidTier } from '../../../model/billing.ts'
import type { TierName } from '../../../model/tiers.ts'
import type { BillingWriter, RaisedNamespace } from '../../../ports/billing-store.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toVersion, versionsOf } from '../reads/billing-versions.ts'
import type { Heads } from '../writer/head.ts'

/** `name` and `tier` are as under the lock; the head row keeps writers of the namespace out while its tier changes. */
export function createBillingWriter(db: Db, heads: Heads): BillingWriter {
  return {
    versionsOf: (principalId) => versionsOf(db, principalId),

    object: async (objectId) => {
      const rows = await db.billingVersion.findMany({ where: { objectId }, orderBy: { ordinal: 'asc' } })
      const ordinal = toNumber(rows.at(-1)?.ordinal ?? 0)
      return { versions: rows.map(toVersion), ordinal }
    },

    payerOf: async ({ customer, principalId, paymentIntent }) => {
      const [row] = await db.$queryRaw<{ id: string }[]>`
        SELECT p.principal_id AS id FROM (
          SELECT 1 AS step, principal_id FROM billing_customer WHERE customer = ${customer}
          UNION ALL SELECT 2, ${principalId}::text WHERE ${customer}::text IS NULL
          UNION ALL SELECT 3, coalesce(c.principal_id, v.principal_id)
            FROM billing_version v LEFT JOIN billing_customer c ON c.customer = v.customer
            WHERE v.payment_intent = ${paymentIntent}) AS candidate
        JOIN principal p ON p.principal_id = candidate.principal_id
        ORDER BY step, p.principal_id LIMIT 1`
      return row?.id ?? null
    },

    bind: async ({ customer, principalId, own }, now) => {
      await db.$executeRaw`
        INSERT INTO billing_customer AS c (customer, principal_id, own, created_at)
        SELECT ${customer}, principal_id, ${own}::boolean, ${now}::bigint FROM principal WHERE principal_id = ${principalId}
        ON CONFLICT (customer) DO UPDATE SET own = c.own OR excluded.own WHERE c.principal_id = excluded.principal_id`
    },

    insertEvent: async ({ id, type, created }, now) => {
      const inserted = await db.$executeRaw`
        INSERT INTO billing_event (id, type, created, received_at)
        VALUES (${id}, ${type}, ${created}::bigint, ${now}::bigint) ON CONFLICT DO NOTHING`
      return inserted > 0
    },

    addVersion: async ({ id, objectId, customer, paymentIntent, principalId, at, source, rank, facts }) => {
      await db.$executeRaw`
        INSERT INTO billing_version (id, object_id, kind, customer, payment_intent, principal_id, at, source, rank, facts)
        VALUES (${id}, ${objectId}, ${facts.kind}, ${customer}, ${paymentIntent}, ${principalId}, ${at}::bigint, ${source},
          ${rank}::int, ${JSON.stringify(facts)}::jsonb)`
    },

    ask: async ({ objectId, kind, paymentIntent }, now) => {
      const question = { kind, paymentIntent, tries: 0, dueAt: now }
      await db.billingQuestion.upsert({ where: { objectId }, create: { objectId, ...question }, update: question })
    },

    settle: async (objectId) => {
      await db.billingQuestion.deleteMany({ where: { objectId } })
    },

    saveAccount: async ({ principalId, ...account }) => {
      await db.billingAccount.upsert({ where: { principalId }, create: { principalId, ...account }, update: account })
    },

    namespacesOf: (principalId) => db.$queryRaw<RaisedNamespace[]>`
      SELECT n.id, n.name, n.tier, n.base_tier AS "baseTier", p.namespace_id = n.id AS "isHome"
      FROM principal p JOIN namespace n ON n.id = p.namespace_id OR n.owner = p.principal_id
      WHERE p.principal_id = ${principalId} AND n.deleted_at IS NULL ORDER BY n.id`,

    namespace: async (id) => {
      const row = await db.namespace.findFirst({ where: { id, deletedAt: null } })
      if (!row) return null
      const { name, tier, baseTier } = row
      return { id, name, tier: tier as TierName, baseTier: baseTier as TierName | null, isHome: false }
    },

    paidFor: async (namespaceId) => {
      const rows = await db.$queryRaw<{ tier: PaidTier }[]>`
        SELECT DISTINCT a.tier FROM namespace n
        JOIN principal p ON p.namespace_id = n.id OR p.principal_id = n.owner
        JOIN billing_account a ON a.principal_id = p.principal_id
        WHERE n.id = ${namespaceId} AND a.tier IS NOT NULL`
      return rows.map(({ tier }) => tier)
    },

    setTier: async (namespaceId, tier, baseTier) => {
      await heads.lock(namespaceId)
      await db.namespace.update({ where: { id: namespaceId }, data: { tier, baseTier } })
    },
  }
}

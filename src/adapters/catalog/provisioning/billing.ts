import type { BillingWriter, RaisedNamespace } from '../../../ports/billing-store.ts'
import { text, word } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { select } from '../database/select.ts'
import { toPaidTier, toTier } from '../database/words.ts'
import type { Namespace, Prisma } from '../generated/client.ts'
import { toVersion, versionsOf } from '../reads/billing-versions.ts'
import type { Heads } from '../writer/head.ts'

/** `name` and `tier` are read under the lock; the head row blocks writers of the namespace while its tier changes. */
export function createBillingWriter(db: Db, heads: Heads): BillingWriter {
  return {
    versionsOf: (principalId) => versionsOf(db, principalId),

    object: async (objectId) => {
      const rows = await db.billingVersion.findMany({ where: { objectId }, orderBy: { ordinal: 'asc' } })
      const ordinal = toNumber(rows.at(-1)?.ordinal ?? 0)
      return { versions: rows.map(toVersion), ordinal }
    },

    payerOf: async ({ customer, principalId, paymentIntent }) => {
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
    },

    bind: async ({ customer, principalId, own }, now) => {
      await db.$executeRaw`
        INSERT INTO billing_customer AS c (customer, principal_id, own, created_at)
        SELECT ${customer}, principal_id, ${own}::boolean, ${now}::bigint FROM principal WHERE principal_id = ${principalId}
        ON CONFLICT (customer) DO UPDATE SET own = c.own OR excluded.own WHERE c.principal_id = excluded.principal_id`
    },

    insertEvent: async ({ id, type, created }, now) => {
      const event = { id, type, created, receivedAt: now }
      const { count } = await db.billingEvent.createMany({ data: [event], skipDuplicates: true })
      return count > 0
    },

    addVersion: async ({ id, objectId, customer, paymentIntent, principalId, at, source, rank, facts }) => {
      const whose = { customer, paymentIntent, principalId }
      await db.billingVersion.create({
        data: { id, objectId, ...whose, at, source, rank, kind: facts.kind, facts: stored(facts) },
      })
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

    namespacesOf: async (principalId) => {
      const own = { where: { principalId }, select: { principalId: true } }
      const rows = await db.namespace.findMany({
        where: { deletedAt: null, OR: [{ principals: { some: { principalId } } }, { owner: principalId }] },
        include: { principals: own },
        orderBy: { id: 'asc' },
      })
      return rows.map((row) => toRaised(row, row.principals.length > 0))
    },

    namespace: async (id) => {
      const row = await db.namespace.findFirst({ where: { id, deletedAt: null } })
      return row && toRaised(row, false)
    },

    paidFor: async (namespaceId) => {
      const rows = await select(db, { tier: word(toPaidTier) })`
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

/** Facts are JSON; a type with optional fields does not express that. */
const stored = (facts: object) => facts as Prisma.InputJsonObject

const toRaised = ({ id, name, tier, baseTier }: Namespace, isHome: boolean): RaisedNamespace => ({
  id,
  name,
  tier: toTier(tier),
  baseTier: baseTier === null ? null : toTier(baseTier),
  isHome,
})

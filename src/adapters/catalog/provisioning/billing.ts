import type { BillingWriter, RaisedNamespace } from '../../../ports/catalog/billing-store.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toTier } from '../database/words.ts'
import type { Namespace, Prisma } from '../generated/client.ts'
import { paidFor, payerOf, toVersion, versionsOf } from '../sql/billing.ts'
import type { Heads } from '../sql/head.ts'

/** `name` and `tier` are read under the lock; the head row blocks writers of the namespace while its tier changes. */
export function createBillingWriter(db: Db, heads: Heads): BillingWriter {
  return {
    versionsOf: (principalId) => versionsOf(db, principalId),

    object: async (objectId) => {
      const rows = await db.billingVersion.findMany({ where: { objectId }, orderBy: { ordinal: 'asc' } })
      const ordinal = toNumber(rows.at(-1)?.ordinal ?? 0)
      return { versions: rows.map(toVersion), ordinal }
    },

    payerOf: (payment) => payerOf(db, payment),

    bind: async ({ customer, principalId, own }, now) => {
      const bound = await db.billingCustomer.findUnique({ where: { customer } })
      if (bound) {
        if (own && bound.principalId === principalId)
          await db.billingCustomer.update({ where: { customer }, data: { own } })
        return
      }
      const payer = await db.principal.findUnique({ where: { principalId }, select: { principalId: true } })
      if (payer) await db.billingCustomer.create({ data: { customer, principalId, own, createdAt: now } })
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

    paidFor: (namespaceId) => paidFor(db, namespaceId),

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

import type {
  BillingEvent,
  BillingFacts,
  BillingObjectRef,
  BillingVersion,
  PaidTier,
  TierName,
} from '../../../model/tiers.ts'

import { bigint, integer, json, jsonOf, oneOf, orNull, type Row, text, word } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toBillingKind, toPaidTier, toTier } from '../database/words.ts'
import type { Namespace, Prisma } from '../generated/client.ts'
import type { Heads } from './head.ts'
import { select } from './select.ts'

export interface RaisedNamespace {
  id: string
  name: string
  tier: TierName
  /** While a payment raises the tier: the tier that it falls back to. */
  baseTier: TierName | null
  /** Whether it is the home namespace of the given principal. */
  isHome: boolean
}

/** Reads stored payments. Times are epoch milliseconds, except those of versions. */
export function createBillingStore(db: Db) {
  return {
    /** The principal's own ones, oldest first. */
    customersOf: async (principalId: string): Promise<string[]> => {
      const rows = await db.billingCustomer.findMany({
        where: { principalId, own: true },
        orderBy: [{ createdAt: 'asc' }, { customer: 'asc' }],
      })
      return rows.map(({ customer }) => customer)
    },

    /** All versions of what the principal bought. */
    versionsOf: (principalId: string): Promise<BillingVersion[]> => versionsOf(db, principalId),

    /** The ordinal of the latest version. Later versions have a higher one. */
    mark: async () => {
      const { _max } = await db.billingVersion.aggregate({ _max: { ordinal: true } })
      return toNumber(_max.ordinal ?? 0)
    },

    /** How many lookups at the provider wait, at most `max`. */
    waiting: (max: number): Promise<number> => db.billingQuestion.count({ take: max }),

    /** Lookups that are due. Each one is rescheduled, with a longer delay each time, so that replicas share them. */
    takeQuestions: (now: number, limit: number): Promise<BillingObjectRef[]> => select(db, {
      objectId: text,
      kind: word(toBillingKind),
      paymentIntent: orNull(text),
    })`
    UPDATE billing_question SET tries = tries + 1,
      due_at = ${now}::bigint + least(${maxWaitMs}::bigint, ${minWaitMs}::bigint << least(tries, 16))
    WHERE object_id IN (
      SELECT object_id FROM billing_question WHERE due_at <= ${now} ORDER BY due_at LIMIT ${limit}
      FOR UPDATE SKIP LOCKED)
    RETURNING object_id AS "objectId", kind, payment_intent AS "paymentIntent"`,

    /** Principals whose payments have a different result by now. */
    dueAccounts: async (now: number, limit: number): Promise<string[]> => {
      const rows = await db.billingAccount.findMany({
        where: { changesAt: { lte: now } },
        orderBy: { changesAt: 'asc' },
        take: limit,
      })
      return rows.map(({ principalId }) => principalId)
    },

    /** Subscriptions of deleted principals that have not ended, as far as is known. What ended never begins again. */
    subscriptionsOfDeleted: async (limit: number): Promise<string[]> => {
      const rows = await select(db, { id: text })`
        SELECT DISTINCT v.object_id AS id FROM principal p
        JOIN billing_customer c ON c.principal_id = p.principal_id
        JOIN billing_version v ON v.customer = c.customer AND v.kind = 'subscription'
        WHERE p.deleted_at IS NOT NULL AND NOT EXISTS (SELECT FROM billing_version e WHERE e.object_id = v.object_id
          AND e.facts ->> 'status' IN ('canceled', 'incomplete_expired', 'missing'))
        ORDER BY v.object_id LIMIT ${limit}`
      return rows.map(({ id }) => id)
    },

    /** Principals who paid or started to, ordered by id, above one. */
    payers: async (after: string, limit: number): Promise<string[]> => {
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

/**
 * Writes of payments. All run under the one lock that spans namespaces, so they are serial. `name` and `tier` are read under it; the
 * head row blocks writers of the namespace while its tier changes.
 */
export function createBillingWriter(db: Db, heads: Heads) {
  return {
    versionsOf: (principalId: string): Promise<BillingVersion[]> => versionsOf(db, principalId),

    /** A version of one object. `ordinal` is that of the latest received version. */
    object: async (objectId: string): Promise<{ versions: BillingVersion[]; ordinal: number }> => {
      const rows = await db.billingVersion.findMany({ where: { objectId }, orderBy: { ordinal: 'asc' } })
      const ordinal = toNumber(rows.at(-1)?.ordinal ?? 0)
      return { versions: rows.map(toVersion), ordinal }
    },

    /** The payer of an object: by its customer, by the payer it names, or by another object of the same payment. */
    payerOf: async ({ customer, principalId, paymentIntent }: Payment): Promise<string | null> => {
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

    /**
     * Does nothing when the customer is linked to another principal, or the principal does not exist. `own` means that
     * this service created the customer for this principal; once true, it stays true.
     */
    bind: async (
      { customer, principalId, own }: { customer: string; principalId: string; own: boolean },
      now: number,
    ) => {
      const bound = await db.billingCustomer.findUnique({ where: { customer } })
      if (bound) {
        if (own && bound.principalId === principalId)
          await db.billingCustomer.update({ where: { customer }, data: { own } })
        return
      }
      const payer = await db.principal.findUnique({ where: { principalId }, select: { principalId: true } })
      if (payer) await db.billingCustomer.create({ data: { customer, principalId, own, createdAt: now } })
    },

    /** False when the event is already known. */
    insertEvent: async ({ id, type, created }: BillingEvent, now: number) => {
      const event = { id, type, created, receivedAt: now }
      const { count } = await db.billingEvent.createMany({ data: [event], skipDuplicates: true })
      return count > 0
    },

    addVersion: async ({
      id,
      objectId,
      customer,
      paymentIntent,
      principalId,
      at,
      source,
      rank,
      facts,
    }: BillingVersion) => {
      const whose = { customer, paymentIntent, principalId }
      await db.billingVersion.create({
        data: { id, objectId, ...whose, at, source, rank, kind: facts.kind, facts: stored(facts) },
      })
    },

    /** Schedules a lookup at the provider, soon. */
    ask: async ({ objectId, kind, paymentIntent }: BillingObjectRef, now: number) => {
      const question = { kind, paymentIntent, tries: 0, dueAt: now }
      await db.billingQuestion.upsert({ where: { objectId }, create: { objectId, ...question }, update: question })
    },

    /** Cancels the lookup. */
    settle: async (objectId: string) => {
      await db.billingQuestion.deleteMany({ where: { objectId } })
    },

    saveAccount: async ({
      principalId,
      ...account
    }: {
      principalId: string
      tier: PaidTier | null
      changesAt: number | null
    }) => {
      await db.billingAccount.upsert({ where: { principalId }, create: { principalId, ...account }, update: account })
    },

    /** The principal's home namespace and the namespaces it owns, without deleted ones. */
    namespacesOf: async (principalId: string): Promise<RaisedNamespace[]> => {
      const own = { where: { principalId }, select: { principalId: true } }
      const rows = await db.namespace.findMany({
        where: { deletedAt: null, OR: [{ principals: { some: { principalId } } }, { owner: principalId }] },
        include: { principals: own },
        orderBy: { id: 'asc' },
      })
      return rows.map((row) => toRaised(row, row.principals.length > 0))
    },

    namespace: async (id: string): Promise<RaisedNamespace | null> => {
      const row = await db.namespace.findFirst({ where: { id, deletedAt: null } })
      return row && toRaised(row, false)
    },

    /** The result of the payments of all principals that own the namespace or are homed in it. */
    paidFor: async (namespaceId: string): Promise<PaidTier[]> => {
      const rows = await select(db, { tier: word(toPaidTier) })`
        SELECT DISTINCT a.tier FROM billing_account a WHERE a.tier IS NOT NULL AND a.principal_id = ANY(ARRAY(
          SELECT principal_id FROM principal WHERE namespace_id = ${namespaceId}
          UNION SELECT owner FROM namespace WHERE id = ${namespaceId}))`
      return rows.map(({ tier }) => tier)
    },

    setTier: async (namespaceId: string, tier: TierName, baseTier: TierName | null) => {
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
function toVersion({ id, objectId, customer, paymentIntent, principalId, ...row }: StoredVersion): BillingVersion {
  const facts = jsonOf<BillingFacts>(row.facts)
  toBillingKind(facts.kind)
  const [at, source] = [toNumber(row.at), toSource(row.source)]
  return { id, objectId, customer, paymentIntent, principalId, at, source, rank: row.rank, facts }
}

const toSource = oneOf(['event', 'lookup'] as const, 'a source of billing versions')

/** What its customers bought, what names it as the payer, and what the same payments paid for. */
async function versionsOf(db: Db, principalId: string): Promise<BillingVersion[]> {
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

type Payment = Pick<BillingVersion, 'customer' | 'principalId' | 'paymentIntent'>

export type BillingStore = ReturnType<typeof createBillingStore>
export type BillingWriter = ReturnType<typeof createBillingWriter>

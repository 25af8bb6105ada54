import { createHash, timingSafeEqual } from 'node:crypto'
import { billingNotConfigured, unauthorized } from '../../errors.ts'
import type { Actor } from '../../model/audit.ts'
import type { BillingVersion, ReportedVersion } from '../../model/tiers.ts'
import { type BackgroundTask, every } from '../background/background.ts'
import type { BillingDeps } from '../bindings/bindings.ts'
import { parse } from '../input/parse.ts'
import { type ReconcileInput, reconcileCursor } from './billing-input.ts'
import { latestVersion, latestVersions, purchasesOf } from './entitlements.ts'
import { applyEvent, billingActor, bindCustomer, missing, recordLookup, refreshPayer } from './receive-event.ts'

/** The number of records, and how many were missing or different from the provider's. */
export interface Reconciled {
  checked: number
  repaired: number
}

const phases = ['events', 'subscriptions', 'purchases', 'payers'] as const
type Phase = (typeof phases)[number]

/** A proxy may cut off a call that takes longer. */
const budgetMs = 20_000
const payersPerPage = 50

/**
 * Brings the catalog in line with the provider: applies events that never arrived (of the last 30 days), compares every
 * subscription and purchase, then computes the tier of every payer again. Each page has its own transaction, so it can
 * stop anywhere and run at the same time as events. Errors: 401 without the cron secret; then 400; 503 without the
 * provider.
 */
export async function reconcile(deps: BillingDeps, input: ReconcileInput, requestId: string) {
  requireSecret(deps.billing.cronSecret, input.secret)
  const cursor = parse(reconcileCursor.optional(), input.cursor, ['cursor'])
  if (!deps.payments.configured) throw billingNotConfigured()
  const run = createRun(deps, billingActor(requestId))
  const deadline = performance.now() + budgetMs
  const [, first = 'events', start = ''] = /^(\w+):(.*)$/s.exec(cursor ?? '') ?? []
  let after = start === '' ? null : start
  const names: readonly string[] = phases
  for (const phase of phases.slice(names.indexOf(first))) {
    do {
      if (performance.now() > deadline) return { ...run.report, nextCursor: `${phase}:${after ?? ''}` }
      run.report.pages += 1
      after = await run[phase](after)
    } while (after !== null)
  }
  return run.report
}

/** Compares digests, so that the time it takes reveals nothing. */
function requireSecret(expected: string | null, given: string | undefined): void {
  const digest = (secret: string) => createHash('sha256').update(secret).digest()
  if (expected === null || given === undefined || !timingSafeEqual(digest(expected), digest(given))) {
    throw unauthorized('the cron secret is required: send CRON_SECRET as the bearer token')
  }
}

/** Each phase handles one page and returns where the next one begins. */
function createRun(deps: BillingDeps, actor: Actor) {
  const { catalog, payments, clock } = deps
  const none = () => ({ checked: 0, repaired: 0 })
  const report = {
    pages: 0,
    events: none(),
    subscriptions: none(),
    purchases: none(),
    payers: none(),
    tiersChanged: 0,
    nextCursor: null,
  }
  const seen = new Set<string>()

  /** Ignores objects of customers that this service does not know: the account may sell other things too. */
  const compare = async (versions: readonly ReportedVersion[], mark: number, counts: Reconciled) => {
    for (const { objectId } of versions) seen.add(objectId)
    counts.checked += versions.length
    await catalog.provision(async (tx) => {
      const payers = new Set<string>()
      for (const version of versions) {
        await bindCustomer(tx.billing, version, clock.now())
        if ((await tx.billing.payerOf(version)) === null) continue
        const { repaired, payer } = await recordLookup(tx.billing, version, mark, clock.now())
        if (repaired) counts.repaired += 1
        if (payer !== null) payers.add(payer)
      }
      for (const payer of payers) report.tiersChanged += (await refreshPayer(deps, tx, payer, actor)).changed
    })
  }

  /** Objects that count here but were on no page: the provider may not know them at all. */
  const unseen = async (principalId: string): Promise<BillingVersion[]> => {
    const held = latestVersions(await catalog.billing.versionsOf(principalId))
    const active = purchasesOf(held, deps.billing.prices, clock.now()).filter((purchase) => purchase.active)
    const ids = new Set(active.map(({ id }) => id).filter((id) => !seen.has(id)))
    return held.flatMap(({ version }) => (ids.has(version.objectId) ? [version] : []))
  }

  return {
    report,

    events: async (after: string | null) => {
      const { items, next } = await payments.events(after)
      report.events.checked += items.length
      await catalog.provision(async (tx) => {
        for (const event of items) {
          const { isNew, changed } = await applyEvent(deps, tx, event, actor)
          if (isNew) report.events.repaired += 1
          report.tiersChanged += changed
        }
      })
      return next
    },

    subscriptions: async (after: string | null) => {
      const mark = await catalog.billing.mark()
      const { items, next } = await payments.subscriptions(after)
      await compare(items, mark, report.subscriptions)
      return next
    },

    purchases: async (after: string | null) => {
      const mark = await catalog.billing.mark()
      const { items, next } = await payments.purchases(after)
      await compare(items, mark, report.purchases)
      return next
    },

    payers: async (after: string | null) => {
      const payers = await catalog.billing.payers(after ?? '', payersPerPage)
      for (const payer of payers) {
        for (const version of await unseen(payer)) {
          const mark = await catalog.billing.mark()
          const { objectId, paymentIntent, facts } = version
          const found = await payments.lookUp({ objectId, paymentIntent, kind: facts.kind })
          const counts = facts.kind === 'subscription' ? report.subscriptions : report.purchases
          await compare(found.length > 0 ? found : [missing(version, deps.random.id('lookup'))], mark, counts)
        }
        const { changed } = await catalog.provision((tx) => refreshPayer(deps, tx, payer, actor))
        report.payers.checked += 1
        report.payers.repaired += Math.min(changed, 1)
        report.tiersChanged += changed
      }
      return payers.length < payersPerPage ? null : (payers.at(-1) ?? null)
    },
  } satisfies Record<Phase, unknown> & { report: object }
}

const batch = 20
const everyMs = 5000

/** Ends the subscriptions of deleted principals: nobody could cancel them in the portal any more. */
export function cancelForDeleted(deps: BillingDeps): BackgroundTask {
  const { catalog, payments, clock, random, log } = deps

  const cancel = async (id: string) => {
    const mark = await catalog.billing.mark()
    const found = await payments.cancelSubscription(id)
    await catalog.provision(async (tx) => {
      const held = latestVersion((await tx.billing.object(id)).versions)
      const versions = found.length === 0 && held ? [missing(held.version, random.id('lookup'))] : found
      for (const version of versions) {
        const { payer } = await recordLookup(tx.billing, version, mark, clock.now())
        if (payer !== null) await refreshPayer(deps, tx, payer, billingActor(random.id('lookup')))
      }
    })
  }

  return every(clock, everyMs, {
    name: 'cancel subscriptions of deleted principals',
    run: async () => {
      if (!payments.configured) return 0
      for (const id of await catalog.billing.subscriptionsOfDeleted(batch)) {
        await cancel(id).catch((err: unknown) =>
          log.warn({ err, object: id }, 'a subscription could not be cancelled; the call will be retried'),
        )
      }
      return 0
    },
  })
}

/** Applies changes that are due at a time: a cancelled subscription ends, or a grace period is over. */
export function lapseTiers(deps: BillingDeps): BackgroundTask {
  return {
    name: 'lapse tiers',
    run: async () => {
      const due = await deps.catalog.billing.dueAccounts(deps.clock.now(), batch)
      for (const principalId of due) {
        const actor = billingActor(deps.random.id('lapse'))
        await deps.catalog.provision((tx) => refreshPayer(deps, tx, principalId, actor))
      }
      return due.length
    },
  }
}

/** Looks up what events left open. While the provider is unreachable, the questions stay queued. */
export function askProvider(deps: BillingDeps): BackgroundTask {
  const { catalog, payments, clock, random, log } = deps
  return {
    name: 'ask the payment provider',
    run: async () => {
      if (!payments.configured) return 0
      const questions = await catalog.billing.takeQuestions(clock.now(), batch)
      for (const question of questions) {
        try {
          const mark = await catalog.billing.mark()
          const versions = await payments.lookUp(question)
          await catalog.provision(async (tx) => {
            for (const version of versions) {
              const { payer } = await recordLookup(tx.billing, version, mark, clock.now())
              if (payer !== null) await refreshPayer(deps, tx, payer, billingActor(random.id('lookup')))
            }
          })
        } catch (err) {
          log.warn({ err, object: question.objectId }, 'the payment provider did not respond; the call will be retried')
        }
      }
      return questions.length
    },
  }
}

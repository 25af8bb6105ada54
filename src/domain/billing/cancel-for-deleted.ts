import { type BackgroundTask, every } from '../background/background.ts'
import type { BillingDeps } from '../bindings/bindings.ts'
import { refreshPayer } from './apply-tier.ts'
import { latestVersion } from './latest-versions.ts'
import { billingActor } from './receive-event.ts'
import { missing, recordLookup } from './record.ts'

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

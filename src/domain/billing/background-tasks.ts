import type { BackgroundTask } from '../background/background.ts'
import type { BillingDeps } from '../bindings/bindings.ts'
import { refreshPayer } from './apply-tier.ts'
import { billingActor } from './receive-event.ts'
import { recordLookup } from './record.ts'

const batch = 20

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

import { createLimiter } from '../../async/limiter.ts'
import { billingUnavailable } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import type { Catalog } from '../../ports/catalog.ts'
import { createBackgroundWork } from '../background/background.ts'
import type { BillingDeps } from '../bindings/bindings.ts'
import { askProvider, lapseTiers } from './background-tasks.ts'
import type { CheckoutInput, ReconcileInput, WebhookInput } from './billing-input.ts'
import { cancelForDeleted } from './cancel-for-deleted.ts'
import { createCheckout, openPortal } from './checkout.ts'
import { createPlans } from './plans.ts'
import { receiveEvent } from './receive-event.ts'
import { reconcile } from './reconcile.ts'
import { getSubscription } from './subscription.ts'

export function createBilling(bound: BillingDeps) {
  // Separate, so that a provider that hangs does not block anything else.
  const background = createBackgroundWork([lapseTiers(bound), askProvider(bound), cancelForDeleted(bound)], bound.log)
  const checkouts = createLimiter({ max: 1 })
  const deps = { ...bound, billingBackground: background }
  return {
    background,
    /** What the provider and visitors may call, without a session. */
    open: {
      plans: createPlans(deps),
      receiveEvent: (event: WebhookInput, requestId: string) => receiveEvent(deps, event, requestId),
      reconcile: (input: ReconcileInput, requestId: string) => reconcile(deps, input, requestId),
    },
    servicesFor: (session: Session) => ({
      subscription: () => getSubscription(deps, session),
      checkout: (input: CheckoutInput) =>
        checkouts.run({ key: session.principalId }, () =>
          onOneReplica(deps, `checkout ${session.principalId}`, () => createCheckout(deps, session, input)),
        ),
      portal: () => openPortal(deps, session),
    }),
  }
}

/** Runs it unless another replica runs work of this name just now: that is 503, and may be tried again. */
async function onOneReplica<T extends object>(
  { catalog }: { catalog: Pick<Catalog, 'withClusterLock'> },
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!catalog.withClusterLock) return work()
  const done = await catalog.withClusterLock(name, work)
  if (done === null) throw billingUnavailable()
  return done
}

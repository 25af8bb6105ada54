import type { Session } from '../../model/session.ts'
import { createBackgroundWork } from '../background/background.ts'
import type { BillingDeps } from '../bindings/bindings.ts'
import { askProvider, lapseTiers } from './background-tasks.ts'
import type { CheckoutInput, ReconcileInput, WebhookInput } from './billing-input.ts'
import { cancelForDeleted } from './cancel-for-deleted.ts'
import { createCheckout, openPortal } from './checkout.ts'
import { createInTurn, onOneReplica } from './in-turn.ts'
import { createPlans } from './plans.ts'
import { receiveEvent } from './receive-event.ts'
import { reconcile } from './reconcile.ts'
import { getSubscription } from './subscription.ts'

export function createBilling(bound: BillingDeps) {
  // Separate, so that a provider that hangs does not block anything else.
  const background = createBackgroundWork([lapseTiers(bound), askProvider(bound), cancelForDeleted(bound)], bound.log)
  const checkoutInTurn = createInTurn()
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
        checkoutInTurn(session.principalId, () =>
          onOneReplica(deps, `checkout ${session.principalId}`, () => createCheckout(deps, session, input)),
        ),
      portal: () => openPortal(deps, session),
    }),
  }
}

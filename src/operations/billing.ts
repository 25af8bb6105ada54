import { checkoutInput, reconcileInput, webhookInput } from '../domain/billing/billing-input.ts'
import type { Operation } from './operation.ts'

export const billing = {
  billingPlans: {
    kind: 'query',
    description:
      'Public. What can be bought, payment links and the publishable key; without a payment provider, nothing is sold.',
    needs: null,
    reach: 'clamped',
    open: 'public',
    rest: {
      route: 'GET /v1/billing/plans',
      answer: `plans { tier planes max_documents max_namespaces answers rerank audit
      offers { cadence price_id currency unit_amount } } payment_links { tier cadence url } publishable_key configured`,
      auth: 'none',
    },
  },
  createCheckout: {
    kind: 'mutation',
    description:
      "Returns the payment provider's page on which the caller buys a tier for its home namespace and the namespaces that it owns. Errors: 400 for a second subscription or a tier that is already paid for; 403 for a restricted key.",
    input: checkoutInput.describe('What to buy.'),
    needs: null,
    reach: 'account',
    rest: {
      route: 'POST /v1/billing/checkout',
      answer: 'url expires_at',
      example: { tier: 'pro', cadence: 'monthly' },
    },
  },
  billingSubscription: {
    kind: 'query',
    description: "The tier of the caller's home namespace, and the caller's purchases.",
    needs: null,
    reach: 'clamped',
    rest: {
      route: 'GET /v1/billing/subscription',
      answer: `namespace tier paid_tier changes_at
      subscriptions { id tier cadence status active ends_at period_end }`,
    },
  },
  createBillingPortal: {
    kind: 'mutation',
    description:
      "Returns the payment provider's page on which the caller changes or cancels purchases. Errors: 400 before the first checkout; 403 for a restricted key.",
    needs: null,
    reach: 'account',
    rest: { route: 'POST /v1/billing/portal', answer: 'url', body: 'optional' },
  },
  receiveBillingEvent: {
    kind: 'mutation',
    description:
      'Receives an event of the payment provider. The signature is checked first. A repeated event changes nothing; an event of an unknown customer is stored.',
    args: webhookInput,
    needs: null,
    reach: 'clamped',
    open: 'signed by others',
    rest: {
      route: 'POST /v1/billing/webhook',
      args: {
        payload: 'raw',
        signature: {
          header: 'Stripe-Signature',
          required: true,
          description: "The payment provider's signature over the body, as it was sent.",
        },
      },
      answer: 'received duplicate',
      auth: 'none',
      body: 'raw',
    },
  },
  reconcileBilling: {
    kind: 'mutation',
    description:
      'Updates subscriptions, purchases and tiers from the payment provider, in pages. Needs the cron secret, over REST as the bearer token.',
    args: reconcileInput,
    needs: null,
    reach: 'clamped',
    open: 'signed by others',
    rest: {
      route: 'POST /v1/billing/reconcile',
      args: { secret: 'credential', cursor: '?cursor' },
      answer: 'pages events subscriptions purchases payers tiers_changed next_cursor',
      auth: 'own',
      body: 'none',
    },
  },
} satisfies Record<string, Operation>

import { route } from '../route.ts'

export const getPlans = route(
  'GET',
  '/v1/billing/plans',
  /* GraphQL */ `query {
    body: billingPlans {
      plans {
        tier
        planes
        max_documents: maxDocuments
        max_namespaces: maxNamespaces
        answers
        rerank
        audit
        offers { cadence price_id: priceId currency unit_amount: unitAmount }
      }
      payment_links: paymentLinks { tier cadence url }
      publishable_key: publishableKey
      configured
    }
  }`,
  undefined,
  { auth: 'none' },
)

export const createCheckout = route(
  'POST',
  '/v1/billing/checkout',
  /* GraphQL */ `mutation ($input: CheckoutInput!) {
    body: createCheckout(input: $input) { url expires_at: expiresAt }
  }`,
  ({ body }) => ({ input: body }),
)

export const getSubscription = route(
  'GET',
  '/v1/billing/subscription',
  /* GraphQL */ `query {
    body: billingSubscription {
      namespace
      tier
      paid_tier: paidTier
      changes_at: changesAt
      subscriptions { id tier cadence status active ends_at: endsAt period_end: periodEnd }
    }
  }`,
)

export const openPortal = route(
  'POST',
  '/v1/billing/portal',
  /* GraphQL */ `mutation { body: createBillingPortal { url } }`,
  ({ body }) => body,
  { body: 'optional' },
)

export const receiveEvent = route(
  'POST',
  '/v1/billing/webhook',
  /* GraphQL */ `mutation ($payload: String!, $signature: String) {
    body: receiveBillingEvent(payload: $payload, signature: $signature) { received duplicate }
  }`,
  ({ raw, headers }) => ({ payload: raw, signature: headers['stripe-signature'] }),
  {
    auth: 'none',
    body: 'raw',
    headers: {
      signature: {
        header: 'Stripe-Signature',
        required: true,
        description: "The payment provider's signature over the body, as it was sent.",
      },
    },
  },
)

const counts = '{ checked repaired }'

export const reconcile = route(
  'POST',
  '/v1/billing/reconcile',
  /* GraphQL */ `mutation ($secret: String, $cursor: String) {
    body: reconcileBilling(secret: $secret, cursor: $cursor) {
      pages
      events ${counts}
      subscriptions ${counts}
      purchases ${counts}
      payers ${counts}
      tiers_changed: tiersChanged
      next_cursor: nextCursor
    }
  }`,
  ({ headers, query }) => ({
    secret: /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1],
    cursor: query.get('cursor'),
  }),
  { auth: 'own', body: 'none', headers: { secret: 'credential' } },
)

import { checkoutInput } from '../../../domain/billing/billing-input.ts'
import type { Checkout } from '../../../domain/billing/checkout.ts'
import type { Purchase } from '../../../domain/billing/entitlements.ts'
import type { SubscriptionView } from '../../../domain/billing/subscription.ts'
import { cadences, paidTiers } from '../../../model/billing.ts'
import { builder, checkedInput } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'

export const PaidTierEnum = builder.enumType('PaidTier', {
  description: 'A tier that is sold.',
  values: Object.fromEntries(paidTiers.map((tier) => [tier, { description: tier === 'pro' ? 'Pro.' : 'Enterprise.' }])),
})

const cadenceDescriptions = {
  monthly: 'Paid every month.',
  yearly: 'Paid every year.',
  lifetime: 'Paid once; it never lapses.',
} as const

export const CadenceEnum = builder.enumType('Cadence', {
  description: 'How often a tier is paid for.',
  values: Object.fromEntries(cadences.map((one) => [one, { description: cadenceDescriptions[one] }])),
})

const PurchaseRef = builder.objectRef<Purchase>('Purchase').implement({
  description: 'Something that the caller bought.',
  fields: (t) => ({
    id: t.exposeString('id', { description: "The payment provider's id." }),
    tier: t.expose('tier', { type: PaidTierEnum, nullable: true, description: 'What it opens; null for none.' }),
    cadence: t.expose('cadence', {
      type: CadenceEnum,
      nullable: true,
      description: 'How it is paid; null for a price that is no longer sold.',
    }),
    status: t.exposeString('status', {
      description:
        "A subscription's status in the provider's words (`missing`: the provider does not know it); of a lifetime `paid`, `unpaid`, `refunded` or `disputed`.",
    }),
    active: t.exposeBoolean('active', { description: 'Whether it counts now.' }),
    endsAt: t.expose('endsAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'When it stops counting unless something happens, epoch milliseconds.',
    }),
    periodEnd: t.expose('periodEnd', {
      type: 'SafeInt',
      nullable: true,
      description: 'When the current period ends, epoch milliseconds; null for a lifetime.',
    }),
  }),
})

const SubscriptionViewRef = builder.objectRef<SubscriptionView>('BillingSubscription').implement({
  description: "The caller's tier and what it bought.",
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: "The caller's home." }),
    tier: t.exposeString('tier', { description: 'The tier of the home: `free`, `pro` or `enterprise`.' }),
    paidTier: t.expose('paidTier', {
      type: PaidTierEnum,
      nullable: true,
      description: "What the caller's own payments come to; null for nothing.",
    }),
    changesAt: t.expose('changesAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'When that changes unless something happens, epoch milliseconds.',
    }),
    subscriptions: t.expose('subscriptions', {
      type: [PurchaseRef],
      description: 'What the caller bought, what has ended included.',
    }),
  }),
})

const CheckoutRef = builder.objectRef<Checkout>('Checkout').implement({
  description: 'A page to pay on.',
  fields: (t) => ({
    url: t.exposeString('url', { description: "The payment provider's page." }),
    expiresAt: t.expose('expiresAt', { type: 'SafeInt', description: 'Until when it is open, epoch milliseconds.' }),
  }),
})

const PortalRef = builder.objectRef<{ url: string }>('BillingPortal').implement({
  description: 'A page to change or cancel what was bought.',
  fields: (t) => ({ url: t.exposeString('url', { description: "The payment provider's page." }) }),
})

const CheckoutInput = builder.inputType('CheckoutInput', {
  description: 'What to buy.',
  fields: (t) => ({
    tier: t.field({ type: PaidTierEnum, required: true, description: 'The tier.' }),
    cadence: t.field({ type: CadenceEnum, required: true, description: 'How to pay.' }),
  }),
})

builder.queryField('billingSubscription', (t) =>
  t.field({
    type: SubscriptionViewRef,
    description: "The tier of the caller's home, and what the caller bought.",
    resolve: (_, __, context) => servicesOf(context).billing.subscription(),
  }),
)

builder.mutationFields((t) => ({
  createCheckout: t.field({
    type: CheckoutRef,
    description:
      "Opens the payment provider's page on which the caller buys a tier for its home and the namespaces that it owns. A second subscription, or what is paid for already, is a bad request; a restricted key is forbidden.",
    args: { input: t.arg({ type: CheckoutInput, required: true, description: 'What to buy.' }) },
    ...checkedInput(checkoutInput, (input, context) => servicesOf(context).billing.checkout(input)),
  }),
  createBillingPortal: t.field({
    type: PortalRef,
    description:
      "Opens the payment provider's page on which the caller changes or cancels what it bought. A bad request before the first checkout; a restricted key is forbidden.",
    resolve: (_, __, context) => servicesOf(context).billing.portal(),
  }),
}))

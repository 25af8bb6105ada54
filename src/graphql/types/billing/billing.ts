import type { Checkout } from '../../../domain/billing/checkout.ts'
import type { Purchase } from '../../../domain/billing/entitlements.ts'
import type { SubscriptionView } from '../../../domain/billing/subscription.ts'
import { cadences, paidTiers } from '../../../model/billing.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { enumType } from '../../builder/types.ts'

export const PaidTierEnum = enumType('PaidTier', 'A tier that is sold.', paidTiers, {
  pro: 'Pro.',
  enterprise: 'Enterprise.',
})

export const CadenceEnum = enumType('Cadence', 'How often a tier is paid for.', cadences, {
  monthly: 'Paid every month.',
  yearly: 'Paid every year.',
  lifetime: 'Paid once; it never lapses.',
})

const PurchaseRef = builder.objectRef<Purchase>('Purchase').implement({
  description: 'A purchase of the caller.',
  fields: (t) => ({
    id: t.exposeString('id', { description: "The payment provider's id." }),
    tier: t.expose('tier', { type: PaidTierEnum, nullable: true, description: 'The tier; null if none.' }),
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
      description: 'When it ends without further payment, in epoch milliseconds.',
    }),
    periodEnd: t.expose('periodEnd', {
      type: 'SafeInt',
      nullable: true,
      description: 'When the current period ends, epoch milliseconds; null for a lifetime.',
    }),
  }),
})

const SubscriptionViewRef = builder.objectRef<SubscriptionView>('BillingSubscription').implement({
  description: "The caller's tier and purchases.",
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: "The caller's home namespace." }),
    tier: t.exposeString('tier', { description: 'The tier of the home: `free`, `pro` or `enterprise`.' }),
    paidTier: t.expose('paidTier', {
      type: PaidTierEnum,
      nullable: true,
      description: "The tier from the caller's own payments; null if none.",
    }),
    changesAt: t.expose('changesAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'When this tier ends without further payment, in epoch milliseconds.',
    }),
    subscriptions: t.expose('subscriptions', {
      type: [PurchaseRef],
      description: "The caller's purchases, including ended ones.",
    }),
  }),
})

const CheckoutRef = builder.objectRef<Checkout>('Checkout').implement({
  description: 'A page to pay on.',
  fields: (t) => ({
    url: t.exposeString('url', { description: "The payment provider's page." }),
    expiresAt: t.expose('expiresAt', { type: 'SafeInt', description: 'When the page expires, in epoch milliseconds.' }),
  }),
})

const PortalRef = builder.objectRef<{ url: string }>('BillingPortal').implement({
  description: 'A page to change or cancel what was bought.',
  fields: (t) => ({ url: t.exposeString('url', { description: "The payment provider's page." }) }),
})

builder.queryField('billingSubscription', (t) =>
  t.field({
    type: SubscriptionViewRef,
    ...runs('billingSubscription', (_, services) => services.billing.subscription()),
  }),
)

builder.mutationFields((t) => ({
  createCheckout: t.field({
    type: CheckoutRef,
    ...runs('createCheckout', (input, services) => services.billing.checkout(input)),
  }),
  createBillingPortal: t.field({
    type: PortalRef,
    ...runs('createBillingPortal', (_, services) => services.billing.portal()),
  }),
}))

import type { Checkout } from '../../../domain/billing/checkout.ts'
import type { Purchase } from '../../../domain/billing/entitlements.ts'
import type { SubscriptionView } from '../../../domain/billing/subscription.ts'
import { cadences, paidTiers } from '../../../model/billing.ts'
import { runs } from '../../builder/root-fields.ts'
import { boolean, enumType, list, nullable, objectType, of, safeInt, string } from '../../builder/types.ts'

export const PaidTierEnum = enumType('PaidTier', 'A tier that is sold.', paidTiers, {
  pro: 'Pro.',
  enterprise: 'Enterprise.',
})

export const CadenceEnum = enumType('Cadence', 'How often a tier is paid for.', cadences, {
  monthly: 'Paid every month.',
  yearly: 'Paid every year.',
  lifetime: 'Paid once; it never lapses.',
})

const PurchaseRef = objectType<Purchase>('Purchase', 'A purchase of the caller.', {
  id: string("The payment provider's id."),
  tier: nullable(of(PaidTierEnum, 'The tier; null if none.')),
  cadence: nullable(of(CadenceEnum, 'How it is paid; null for a price that is no longer sold.')),
  status: string(
    "A subscription's status in the provider's words (`missing`: the provider does not know it); of a lifetime `paid`, `unpaid`, `refunded` or `disputed`.",
  ),
  active: boolean('Whether it counts now.'),
  endsAt: nullable(safeInt('When it ends without further payment, in epoch milliseconds.')),
  periodEnd: nullable(safeInt('When the current period ends, epoch milliseconds; null for a lifetime.')),
})

const SubscriptionViewRef = objectType<SubscriptionView>('BillingSubscription', "The caller's tier and purchases.", {
  namespace: string("The caller's home namespace."),
  tier: string('The tier of the home: `free`, `pro` or `enterprise`.'),
  paidTier: nullable(of(PaidTierEnum, "The tier from the caller's own payments; null if none.")),
  changesAt: nullable(safeInt('When this tier ends without further payment, in epoch milliseconds.')),
  subscriptions: list(PurchaseRef, "The caller's purchases, including ended ones."),
})

const CheckoutRef = objectType<Checkout>('Checkout', 'A page to pay on.', {
  url: string("The payment provider's page."),
  expiresAt: safeInt('When the page expires, in epoch milliseconds.'),
})

const PortalRef = objectType<{ url: string }>('BillingPortal', 'A page to change or cancel what was bought.', {
  url: string("The payment provider's page."),
})

runs('billingSubscription', SubscriptionViewRef, (_, services) => services.billing.subscription())

runs('createCheckout', CheckoutRef, (input, services) => services.billing.checkout(input))

runs('createBillingPortal', PortalRef, (_, services) => services.billing.portal())

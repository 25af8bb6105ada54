import { cadences, paidTiers } from '../../model/tiers.ts'
import { runs, runsOpenly } from '../builder/root-fields.ts'
import { boolean, enumType, int, list, nullable, objectType, of, safeInt, string } from '../builder/types.ts'
import { PlaneEnum } from './common.ts'

const PaidTierEnum = enumType('PaidTier', 'A tier that is sold.', paidTiers, {
  pro: 'Pro.',
  enterprise: 'Enterprise.',
})

const CadenceEnum = enumType('Cadence', 'How often a tier is paid for.', cadences, {
  monthly: 'Paid every month.',
  yearly: 'Paid every year.',
  lifetime: 'Paid once; it never lapses.',
})

const PurchaseRef = objectType('Purchase', 'A purchase of the caller.', {
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

const SubscriptionViewRef = objectType('BillingSubscription', "The caller's tier and purchases.", {
  namespace: string("The caller's home namespace."),
  tier: string('The tier of the home: `free`, `pro` or `enterprise`.'),
  paidTier: nullable(of(PaidTierEnum, "The tier from the caller's own payments; null if none.")),
  changesAt: nullable(safeInt('When this tier ends without further payment, in epoch milliseconds.')),
  subscriptions: list(PurchaseRef, "The caller's purchases, including ended ones."),
})

const CheckoutRef = objectType('Checkout', 'A page to pay on.', {
  url: string("The payment provider's page."),
  expiresAt: safeInt('When the page expires, in epoch milliseconds.'),
})

const PortalRef = objectType('BillingPortal', 'A page to change or cancel what was bought.', {
  url: string("The payment provider's page."),
})

runs('billingSubscription', SubscriptionViewRef, (_, services) => services.billing.subscription())

runs('createCheckout', CheckoutRef, (input, services) => services.billing.checkout(input))

runs('createBillingPortal', PortalRef, (_, services) => services.billing.portal())

const OfferRef = objectType('Offer', 'A way to pay for a plan.', {
  cadence: of(CadenceEnum, 'How often it is paid.'),
  priceId: string("The payment provider's id of the price."),
  currency: nullable(string('ISO 4217, lower case; null while the payment provider is unavailable.')),
  unitAmount: nullable(
    safeInt('In the smallest unit of the currency; null while the payment provider is unavailable.'),
  ),
})

const PlanRef = objectType('Plan', 'A tier that can be bought, and what it includes.', {
  tier: of(PaidTierEnum, 'The tier.'),
  planes: list(PlaneEnum, 'Planes that it includes.'),
  maxDocuments: nullable(int('Null for no limit.')),
  maxNamespaces: nullable(int('Null for no limit.')),
  answers: boolean('Whether it includes answers.'),
  rerank: boolean('Whether it includes reranking.'),
  audit: boolean('Whether it includes the audit log.'),
  offers: list(OfferRef, 'How it is sold; empty if it is not.'),
})

const PaymentLinkRef = objectType(
  'PaymentLink',
  'A page to buy a tier without a checkout. Append `?client_reference_id=<principal_id>` to name the principal that receives the tier.',
  {
    tier: of(PaidTierEnum, 'What is bought.'),
    cadence: of(CadenceEnum, 'How it is paid.'),
    url: string("The payment provider's page."),
  },
)

const PlansRef = objectType('Plans', 'What can be bought.', {
  plans: list(PlanRef, 'The tiers.'),
  paymentLinks: list(PaymentLinkRef, 'Pages to buy on.'),
  publishableKey: nullable(string("The payment provider's key for browsers.")),
  configured: boolean('Whether a payment provider is configured.'),
})

const ReceiptRef = objectType('EventReceipt', 'The result of receiving an event.', {
  received: boolean('Always true.'),
  duplicate: boolean('True if the event was already received. Then nothing changed.'),
})

const ReconciledRef = objectType('Reconciled', 'The result of a reconciliation for one kind of object.', {
  checked: int('Number of queries.'),
  repaired: int('Number that were missing or different here.'),
})

const ReconciliationRef = objectType('Reconciliation', 'The result of a reconciliation.', {
  pages: int('Number of pages read.'),
  events: of(ReconciledRef, 'Events that concern tiers, of the last 30 days.'),
  subscriptions: of(ReconciledRef, 'Subscriptions.'),
  purchases: of(ReconciledRef, 'Purchases and their charges.'),
  payers: of(ReconciledRef, 'Principals that pay or paid; repaired if their tier did not match their payments.'),
  tiersChanged: int('Namespaces whose tier changed.'),
  nextCursor: nullable(string('The cursor to continue with if the time was too short; null at the end.')),
})

runsOpenly('billingPlans', PlansRef, (_, { domain }) => domain.billing.plans())

runsOpenly('receiveBillingEvent', ReceiptRef, (event, { domain, requestId }) =>
  domain.billing.receiveEvent(event, requestId),
)

runsOpenly('reconcileBilling', ReconciliationRef, (args, { domain, requestId }) =>
  domain.billing.reconcile(args, requestId),
)

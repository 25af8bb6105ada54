import { reconcileInput, webhookInput } from '../../../domain/billing/billing-input.ts'
import type { Offer, PaymentLink, Plan, Plans } from '../../../domain/billing/plans.ts'
import type { EventReceipt } from '../../../domain/billing/receive-event.ts'
import type { Reconciled, Reconciliation } from '../../../domain/billing/reconcile.ts'
import { builder, checked } from '../../builder/builder.ts'
import { PlaneEnum } from '../common/enums.ts'
import { CadenceEnum, PaidTierEnum } from './billing.ts'

const OfferRef = builder.objectRef<Offer>('Offer').implement({
  description: 'A way to pay for a plan.',
  fields: (t) => ({
    cadence: t.expose('cadence', { type: CadenceEnum, description: 'How often.' }),
    priceId: t.exposeString('priceId', { description: "The payment provider's id of the price." }),
    currency: t.exposeString('currency', {
      nullable: true,
      description: 'ISO 4217, lower case; null while the provider is not reached.',
    }),
    unitAmount: t.expose('unitAmount', {
      type: 'SafeInt',
      nullable: true,
      description: "In the currency's smallest unit; null while the provider is not reached.",
    }),
  }),
})

const PlanRef = builder.objectRef<Plan>('Plan').implement({
  description: 'A tier that can be bought, and what it opens.',
  fields: (t) => ({
    tier: t.expose('tier', { type: PaidTierEnum, description: 'The tier.' }),
    planes: t.expose('planes', { type: [PlaneEnum], description: 'Planes that it opens.' }),
    maxDocuments: t.exposeInt('maxDocuments', { nullable: true, description: 'Null for no limit.' }),
    maxNamespaces: t.exposeInt('maxNamespaces', { nullable: true, description: 'Null for no limit.' }),
    answers: t.exposeBoolean('answers', { description: 'Whether it includes answers.' }),
    rerank: t.exposeBoolean('rerank', { description: 'Whether it includes reranking.' }),
    audit: t.exposeBoolean('audit', { description: 'Whether it includes the audit log.' }),
    offers: t.expose('offers', { type: [OfferRef], description: 'How it is sold; empty when it is not.' }),
  }),
})

const PaymentLinkRef = builder.objectRef<PaymentLink>('PaymentLink').implement({
  description:
    'A page to buy on without a checkout. Whoever is to get the tier is named by appending `?client_reference_id=<principal_id>`.',
  fields: (t) => ({
    tier: t.expose('tier', { type: PaidTierEnum, description: 'What is bought.' }),
    cadence: t.expose('cadence', { type: CadenceEnum, description: 'How it is paid.' }),
    url: t.exposeString('url', { description: "The payment provider's page." }),
  }),
})

const PlansRef = builder.objectRef<Plans>('Plans').implement({
  description: 'What can be bought.',
  fields: (t) => ({
    plans: t.expose('plans', { type: [PlanRef], description: 'The tiers.' }),
    paymentLinks: t.expose('paymentLinks', { type: [PaymentLinkRef], description: 'Pages to buy on.' }),
    publishableKey: t.exposeString('publishableKey', {
      nullable: true,
      description: "The payment provider's key for browsers.",
    }),
    configured: t.exposeBoolean('configured', { description: 'Whether anything can be bought here.' }),
  }),
})

const ReceiptRef = builder.objectRef<EventReceipt>('EventReceipt').implement({
  description: 'An event was taken in.',
  fields: (t) => ({
    received: t.exposeBoolean('received', { description: 'Always true.' }),
    duplicate: t.exposeBoolean('duplicate', { description: 'It was known, so nothing changed.' }),
  }),
})

const ReconciledRef = builder.objectRef<Reconciled>('Reconciled').implement({
  description: 'What a reconciliation found of one kind.',
  fields: (t) => ({
    checked: t.exposeInt('checked', { description: 'How many there were.' }),
    repaired: t.exposeInt('repaired', { description: 'How many of them were missing or different here.' }),
  }),
})

const ReconciliationRef = builder.objectRef<Reconciliation>('Reconciliation').implement({
  description: 'What a reconciliation did.',
  fields: (t) => ({
    pages: t.exposeInt('pages', { description: 'Pages worked through.' }),
    events: t.expose('events', { type: ReconciledRef, description: 'Events that concern tiers, of the last 30 days.' }),
    subscriptions: t.expose('subscriptions', { type: ReconciledRef, description: 'Subscriptions.' }),
    purchases: t.expose('purchases', { type: ReconciledRef, description: 'Purchases and their charges.' }),
    payers: t.expose('payers', {
      type: ReconciledRef,
      description: 'Principals who pay or paid; repaired where a tier was other than what they paid for.',
    }),
    tiersChanged: t.exposeInt('tiersChanged', { description: 'Namespaces whose tier changed.' }),
    nextCursor: t.exposeString('nextCursor', {
      nullable: true,
      description: 'Where to go on, when the time was too short for all; null at the end.',
    }),
  }),
})

builder.queryField('billingPlans', (t) =>
  t.field({
    type: PlansRef,
    skipTypeScopes: true,
    description:
      'Public. What can be bought, payment links and the publishable key; without a payment provider, nothing is sold.',
    resolve: (_, __, { domain }) => domain.billing.plans(),
  }),
)

builder.mutationFields((t) => ({
  receiveBillingEvent: t.field({
    type: ReceiptRef,
    skipTypeScopes: true,
    description:
      'Takes in an event of the payment provider, whose signature is checked before anything else. A known one changes nothing; one of an unknown customer is kept.',
    args: {
      payload: t.arg.string({ required: true, description: 'The body as it was sent.' }),
      signature: t.arg.string({ description: 'The header `Stripe-Signature`.' }),
    },
    ...checked(webhookInput, (event, { domain, requestId }) => domain.billing.receiveEvent(event, requestId)),
  }),
  reconcileBilling: t.field({
    type: ReconciliationRef,
    skipTypeScopes: true,
    description:
      'Brings subscriptions, purchases and tiers to what the payment provider has, in pages. Needs the cron secret, over REST as the bearer token.',
    args: {
      secret: t.arg.string({ description: 'The cron secret.' }),
      cursor: t.arg.string({ description: 'The `next_cursor` of an earlier answer.' }),
    },
    ...checked(reconcileInput, (args, { domain, requestId }) => domain.billing.reconcile(args, requestId)),
  }),
}))

import type { Offer, PaymentLink, Plan, Plans } from '../../../domain/billing/plans.ts'
import type { EventReceipt } from '../../../domain/billing/receive-event.ts'
import type { Reconciled, Reconciliation } from '../../../domain/billing/reconcile.ts'
import { builder } from '../../builder/builder.ts'
import { runsOpenly } from '../../builder/root-fields.ts'
import { PlaneEnum } from '../common/enums.ts'
import { CadenceEnum, PaidTierEnum } from './billing.ts'

const OfferRef = builder.objectRef<Offer>('Offer').implement({
  description: 'A way to pay for a plan.',
  fields: (t) => ({
    cadence: t.expose('cadence', { type: CadenceEnum, description: 'How often it is paid.' }),
    priceId: t.exposeString('priceId', { description: "The payment provider's id of the price." }),
    currency: t.exposeString('currency', {
      nullable: true,
      description: 'ISO 4217, lower case; null while the payment provider is unavailable.',
    }),
    unitAmount: t.expose('unitAmount', {
      type: 'SafeInt',
      nullable: true,
      description: 'In the smallest unit of the currency; null while the payment provider is unavailable.',
    }),
  }),
})

const PlanRef = builder.objectRef<Plan>('Plan').implement({
  description: 'A tier that can be bought, and what it includes.',
  fields: (t) => ({
    tier: t.expose('tier', { type: PaidTierEnum, description: 'The tier.' }),
    planes: t.expose('planes', { type: [PlaneEnum], description: 'Planes that it includes.' }),
    maxDocuments: t.exposeInt('maxDocuments', { nullable: true, description: 'Null for no limit.' }),
    maxNamespaces: t.exposeInt('maxNamespaces', { nullable: true, description: 'Null for no limit.' }),
    answers: t.exposeBoolean('answers', { description: 'Whether it includes answers.' }),
    rerank: t.exposeBoolean('rerank', { description: 'Whether it includes reranking.' }),
    audit: t.exposeBoolean('audit', { description: 'Whether it includes the audit log.' }),
    offers: t.expose('offers', { type: [OfferRef], description: 'How it is sold; empty if it is not.' }),
  }),
})

const PaymentLinkRef = builder.objectRef<PaymentLink>('PaymentLink').implement({
  description:
    'A page to buy a tier without a checkout. Append `?client_reference_id=<principal_id>` to name the principal that receives the tier.',
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
    configured: t.exposeBoolean('configured', { description: 'Whether a payment provider is configured.' }),
  }),
})

const ReceiptRef = builder.objectRef<EventReceipt>('EventReceipt').implement({
  description: 'The result of receiving an event.',
  fields: (t) => ({
    received: t.exposeBoolean('received', { description: 'Always true.' }),
    duplicate: t.exposeBoolean('duplicate', {
      description: 'True if the event was already received. Then nothing changed.',
    }),
  }),
})

const ReconciledRef = builder.objectRef<Reconciled>('Reconciled').implement({
  description: 'The result of a reconciliation for one kind of object.',
  fields: (t) => ({
    checked: t.exposeInt('checked', { description: 'Number of queries.' }),
    repaired: t.exposeInt('repaired', { description: 'Number that were missing or different here.' }),
  }),
})

const ReconciliationRef = builder.objectRef<Reconciliation>('Reconciliation').implement({
  description: 'The result of a reconciliation.',
  fields: (t) => ({
    pages: t.exposeInt('pages', { description: 'Number of pages read.' }),
    events: t.expose('events', { type: ReconciledRef, description: 'Events that concern tiers, of the last 30 days.' }),
    subscriptions: t.expose('subscriptions', { type: ReconciledRef, description: 'Subscriptions.' }),
    purchases: t.expose('purchases', { type: ReconciledRef, description: 'Purchases and their charges.' }),
    payers: t.expose('payers', {
      type: ReconciledRef,
      description: 'Principals that pay or paid; repaired if their tier did not match their payments.',
    }),
    tiersChanged: t.exposeInt('tiersChanged', { description: 'Namespaces whose tier changed.' }),
    nextCursor: t.exposeString('nextCursor', {
      nullable: true,
      description: 'The cursor to continue with if the time was too short; null at the end.',
    }),
  }),
})

builder.queryField('billingPlans', (t) =>
  t.field({
    type: PlansRef,
    ...runsOpenly('billingPlans', (_, { domain }) => domain.billing.plans()),
  }),
)

builder.mutationFields((t) => ({
  receiveBillingEvent: t.field({
    type: ReceiptRef,
    ...runsOpenly('receiveBillingEvent', (event, { domain, requestId }) =>
      domain.billing.receiveEvent(event, requestId),
    ),
  }),
  reconcileBilling: t.field({
    type: ReconciliationRef,
    ...runsOpenly('reconcileBilling', (args, { domain, requestId }) => domain.billing.reconcile(args, requestId)),
  }),
}))

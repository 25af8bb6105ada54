import type { Telemetry } from '../../model/telemetry.ts'
import type { Payments } from '../../ports/payments.ts'

/** The same payments; each call of the provider is reported, where that is wanted. */
export function observedPayments({ vendor }: Telemetry, payments: Payments): Payments {
  // Without a key nothing is called.
  if (!vendor || !payments.configured) return payments
  const call = <T>(operation: string, work: () => Promise<T>) => vendor({ system: 'stripe', operation }, work)
  return {
    ...payments,
    amounts: (priceIds) => call('amounts', () => payments.amounts(priceIds)),
    paymentLinks: () => call('paymentLinks', () => payments.paymentLinks()),
    createCustomer: (principalId) => call('createCustomer', () => payments.createCustomer(principalId)),
    closeCheckouts: (customer) => call('closeCheckouts', () => payments.closeCheckouts(customer)),
    boughtBy: (customer) => call('boughtBy', () => payments.boughtBy(customer)),
    createCheckout: (order) => call('createCheckout', () => payments.createCheckout(order)),
    createPortal: (...given) => call('createPortal', () => payments.createPortal(...given)),
    cancelSubscription: (id) => call('cancelSubscription', () => payments.cancelSubscription(id)),
    lookUp: (object) => call('lookUp', () => payments.lookUp(object)),
    subscriptions: (after) => call('subscriptions', () => payments.subscriptions(after)),
    purchases: (after) => call('purchases', () => payments.purchases(after)),
    events: (after) => call('events', () => payments.events(after)),
  }
}

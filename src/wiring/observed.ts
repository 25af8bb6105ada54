import type { DatabaseCall, Telemetry, VendorCall } from '../model/telemetry.ts'
import type { IndexSink } from '../ports/indexes/index-sink.ts'
import type { TextIndex } from '../ports/indexes/text-index.ts'
import type { VectorIndex } from '../ports/indexes/vector-index.ts'
import type { Mailer } from '../ports/mail.ts'
import type { Payments } from '../ports/payments.ts'
import type { KeyValue } from '../ports/stores/key-value.ts'
import type { MailConfig } from '../settings/mail.ts'

/** The same store; each command is reported, where that is wanted. */
export function observedKeyValue({ database }: Telemetry, store: KeyValue): KeyValue {
  if (!database) return store
  const call = (operation: string): DatabaseCall => ({ system: 'redis', operation })
  return {
    ...store,
    get: (key) => database(call('GET'), () => store.get(key)),
    set: (...input) => database(call('SET'), () => store.set(...input)),
    delete: (key) => database(call('DEL'), () => store.delete(key)),
    increment: (...input) => database(call('INCR'), () => store.increment(...input)),
  }
}

/** The same index of an engine elsewhere. */
export function observedVectors({ database }: Telemetry, index: Omit<VectorIndex, 'feed'>): Omit<VectorIndex, 'feed'> {
  if (!database) return index
  const call: DatabaseCall = { system: 'pinecone', operation: 'query' }
  return { ...index, search: (query, filter, limit) => database(call, () => index.search(query, filter, limit)) }
}

export function observedTexts({ database }: Telemetry, index: Omit<TextIndex, 'feed'>): Omit<TextIndex, 'feed'> {
  if (!database) return index
  const call: DatabaseCall = { system: 'meilisearch', operation: 'search' }
  return { ...index, search: (query, filter, limit) => database(call, () => index.search(query, filter, limit)) }
}

export function observedSink({ database }: Telemetry, system: DatabaseCall['system'], sink: IndexSink): IndexSink {
  if (!database) return sink
  return {
    ...sink,
    write: (...input) => database({ system, operation: 'write' }, () => sink.write(...input)),
    drop: (...input) => database({ system, operation: 'delete' }, () => sink.drop(...input)),
  }
}

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
    createPortal: (...input) => call('createPortal', () => payments.createPortal(...input)),
    cancelSubscription: (id) => call('cancelSubscription', () => payments.cancelSubscription(id)),
    lookUp: (object) => call('lookUp', () => payments.lookUp(object)),
    subscriptions: (after) => call('subscriptions', () => payments.subscriptions(after)),
    purchases: (after) => call('purchases', () => payments.purchases(after)),
    events: (after) => call('events', () => payments.events(after)),
  }
}

/** A mail to the console leaves the service by no request. */
const systems: Partial<Record<MailConfig['kind'], VendorCall['system']>> = { smtp: 'smtp', webhook: 'mail_webhook' }

/**
 * The same mailer. Each mail is reported as a request, and those that are being handed over, with those that are tried
 * again, as a queue.
 */
export function observedMailer({ queued, vendor }: Telemetry, mailer: Mailer, kind: MailConfig['kind']): Mailer {
  const system = systems[kind]
  const send: Mailer['send'] =
    vendor && system ? (mail) => vendor({ system, operation: 'send' }, () => mailer.send(mail)) : mailer.send
  let waiting = 0
  const change = (by: number) => {
    waiting += by
    queued('mail', waiting)
  }
  change(0)
  return {
    send: async (mail) => {
      change(1)
      await send(mail).finally(() => change(-1))
    },
  }
}

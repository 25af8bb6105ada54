import { emit, get, newId, put, type StripeEvent, type StripeObject, type StripeState } from './state.ts'

const month = 30 * 24 * 60 * 60

/** Actions of customers and banks, and the effects of time. Each returns the resulting events, oldest first. */
export function createActions(state: StripeState) {
  const subscriptionOf = (id: string) => get(state.subscriptions, id)
  const itemOf = (subscription: StripeObject) => subscription.items.data[0]

  const change = (id: string, changes: object, type = 'updated'): StripeEvent[] => [
    emit(state, `customer.subscription.${type}`, Object.assign(subscriptionOf(id), changes)),
  ]

  const startSubscription = (session: StripeObject): StripeObject => {
    const id = newId('sub')
    const price = get(state.prices, session.bought)
    const period = { current_period_start: state.now, current_period_end: state.now + periodOf(price) }
    return put(state.subscriptions, {
      id,
      object: 'subscription',
      customer: session.customer,
      status: 'active',
      created: state.now,
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      ended_at: null,
      livemode: false,
      metadata: session.planned,
      items: list([{ id: newId('si'), object: 'subscription_item', price, quantity: 1, subscription: id, ...period }]),
    })
  }

  const charge = (session: StripeObject): StripeObject => {
    const intent = newId('pi')
    const { unit_amount: amount, currency } = get(state.prices, session.bought)
    const charged = put(state.charges, {
      id: newId('ch'),
      object: 'charge',
      customer: session.customer,
      payment_intent: intent,
      amount,
      amount_refunded: 0,
      currency,
      disputed: false,
      refunded: false,
      paid: true,
      status: 'succeeded',
      created: state.now,
      metadata: {},
    })
    const latest = { latest_charge: charged.id, status: 'succeeded', customer: session.customer }
    return put(state.intents, { id: intent, object: 'payment_intent', amount, currency, ...latest })
  }

  const complete = (session: StripeObject): StripeEvent[] => {
    Object.assign(session, { status: 'complete', payment_status: 'paid' })
    if (session.mode === 'payment') {
      session.payment_intent = charge(session).id
      return [emit(state, 'checkout.session.completed', session)]
    }
    const subscription = startSubscription(session)
    session.subscription = subscription.id
    const created = emit(state, 'customer.subscription.created', subscription)
    return [created, emit(state, 'checkout.session.completed', session)]
  }

  return {
    advance: (seconds: number) => {
      state.now += seconds
    },

    /** The customer pays on the checkout page. */
    pay: (pageUrl: string): StripeEvent[] => {
      const session = [...state.sessions.values()].find(({ url }) => url === pageUrl)
      if (session?.status !== 'open') throw new Error('the checkout is not open')
      return complete(session)
    },

    /** Someone pays through a payment link with a reference in its URL. */
    payByLink: (priceId: string, client_reference_id: string): StripeEvent[] => {
      const customer = put(state.customers, { id: newId('cus'), object: 'customer', metadata: {} }).id
      const mode = get(state.prices, priceId).recurring === null ? 'payment' : 'subscription'
      const link = { customer, client_reference_id, mode, metadata: {}, payment_intent: null, subscription: null }
      const bought = { bought: priceId, planned: {}, created: state.now }
      return complete(put(state.sessions, { id: newId('cs'), object: 'checkout.session', ...link, ...bought }))
    },

    /** In the customer portal: an immediate change to another price. */
    changePrice: (id: string, priceId: string): StripeEvent[] => {
      itemOf(subscriptionOf(id)).price = get(state.prices, priceId)
      return change(id, {})
    },

    /** In the customer portal. */
    cancelAtPeriodEnd: (id: string, cancel = true): StripeEvent[] => change(id, { cancel_at_period_end: cancel }),

    /** Time moves to the end of the period: the subscription ends or is renewed. */
    endPeriod: (id: string): StripeEvent[] => {
      const subscription = subscriptionOf(id)
      const item = itemOf(subscription)
      state.now = Math.max(state.now, item.current_period_end)
      if (subscription.cancel_at_period_end) {
        return change(id, { status: 'canceled', canceled_at: state.now, ended_at: state.now }, 'deleted')
      }
      item.current_period_start = item.current_period_end
      item.current_period_end += periodOf(item.price)
      return change(id, {})
    },

    /** A payment fails, and Stripe will retry it for some time. */
    failPayment: (id: string): StripeEvent[] => change(id, { status: 'past_due' }),
    recover: (id: string): StripeEvent[] => change(id, { status: 'active' }),
    /** The last retry has failed. */
    giveUp: (id: string): StripeEvent[] => change(id, { status: 'canceled', ended_at: state.now }, 'deleted'),

    refund: (sessionId: string, amount?: number): StripeEvent[] => {
      const charged = chargeOf(sessionId)
      charged.amount_refunded = Math.min(charged.amount, charged.amount_refunded + (amount ?? charged.amount))
      charged.refunded = charged.amount_refunded === charged.amount
      return [emit(state, 'charge.refunded', charged)]
    },

    dispute: (sessionId: string): StripeEvent[] => {
      const charged = chargeOf(sessionId)
      charged.disputed = true
      const { id, payment_intent, amount, currency } = charged
      const money = { amount, currency, charge: id, payment_intent, created: state.now }
      const dispute = { id: newId('dp'), object: 'dispute', status: 'needs_response', ...money }
      return [emit(state, 'charge.dispute.created', put(state.disputes, dispute))]
    },

    closeDispute: (sessionId: string, status: 'won' | 'lost'): StripeEvent[] => {
      const charged = chargeOf(sessionId)
      const dispute = [...state.disputes.values()].find((one) => one.charge === charged.id)
      if (!dispute) throw new Error('there is no dispute')
      return [emit(state, 'charge.dispute.closed', Object.assign(dispute, { status }))]
    },
  }

  function chargeOf(sessionId: string): StripeObject {
    const intent = get(state.intents, get(state.sessions, sessionId).payment_intent)
    return get(state.charges, intent.latest_charge)
  }
}

const periodOf = (price: StripeObject) => (price.recurring?.interval === 'year' ? 365 * 24 * 60 * 60 : month)

export const list = (data: unknown[], url = '') => ({ object: 'list', data, has_more: false, url })

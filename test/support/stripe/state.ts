import { randomBytes } from 'node:crypto'

// Stores only the fields that the service may read; the shape is Stripe's.
// biome-ignore lint/suspicious/noExplicitAny: the wire has no types
export type StripeObject = { id: string; object: string } & Record<string, any>

export interface StripeEvent extends StripeObject {
  type: string
  created: number
}

/** The whole state of the local Stripe. Times are epoch seconds on its own clock. */
export interface StripeState {
  now: number
  customers: Map<string, StripeObject>
  sessions: Map<string, StripeObject>
  subscriptions: Map<string, StripeObject>
  intents: Map<string, StripeObject>
  charges: Map<string, StripeObject>
  disputes: Map<string, StripeObject>
  prices: Map<string, StripeObject>
  links: Map<string, StripeObject>
  events: StripeEvent[]
}

export const newState = (now: number): StripeState => ({
  now,
  customers: new Map(),
  sessions: new Map(),
  subscriptions: new Map(),
  intents: new Map(),
  charges: new Map(),
  disputes: new Map(),
  prices: new Map(),
  links: new Map(),
  events: [],
})

export const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

export function put(map: Map<string, StripeObject>, object: StripeObject): StripeObject {
  map.set(object.id, object)
  return object
}

export function get(map: Map<string, StripeObject>, id: string): StripeObject {
  const object = map.get(id)
  if (!object) throw new Error(`the local Stripe has no ${id}`)
  return object
}

/** Stores an event with a snapshot of its object. */
export function emit(state: StripeState, type: string, object: StripeObject): StripeEvent {
  const event = {
    id: newId('evt'),
    object: 'event',
    api_version: '2026-10-28.endive',
    created: state.now,
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    data: { object: structuredClone(object) },
  }
  state.events.push(event)
  return event
}

import { list } from './actions.ts'
import { newId, put, type StripeObject, type StripeState } from './state.ts'

type Params = Record<string, unknown>

/** An error in Stripe's format. */
export class ApiError extends Error {
  readonly status: number
  readonly body: object

  constructor(status: number, error: { type: string; code?: string; param?: string; message: string }) {
    super(error.message)
    this.status = status
    this.body = { error }
  }
}

const notFound = (id: string) =>
  new ApiError(404, { type: 'invalid_request_error', code: 'resource_missing', param: 'id', message: `No such: ${id}` })

/** The API calls that the service uses, on a state. `pages` is the base URL of hosted pages. */
export function createApi(state: StripeState, pages: string) {
  const collections: Record<string, () => StripeObject[]> = {
    '/v1/customers': () => [...state.customers.values()],
    '/v1/prices': () => [...state.prices.values()],
    '/v1/payment_links': () => [...state.links.values()],
    '/v1/subscriptions': () => [...state.subscriptions.values()],
    '/v1/payment_intents': () => [...state.intents.values()],
    '/v1/checkout/sessions': () => [...state.sessions.values()],
    '/v1/events': () => state.events,
  }

  const creations: Record<string, (params: Params) => StripeObject> = {
    '/v1/customers': ({ metadata = {} }) =>
      put(state.customers, { id: newId('cus'), object: 'customer', created: state.now, metadata }),
    '/v1/checkout/sessions': createSession,
    '/v1/billing_portal/sessions': ({ customer, return_url }) => {
      required(state.customers, customer)
      const id = newId('bps')
      return { id, object: 'billing_portal.session', customer, return_url, url: `${pages}/portal/${id}` }
    },
  }

  function createSession(params: Params): StripeObject {
    const { mode, customer, client_reference_id = null, metadata = {}, line_items, subscription_data } = params
    required(state.customers, customer)
    const [item] = Array.isArray(line_items) ? line_items : []
    const price = required(state.prices, item?.price)
    if ((mode === 'subscription') !== (price.recurring !== null)) {
      const message = 'the mode does not fit the price'
      throw new ApiError(400, { type: 'invalid_request_error', param: 'line_items', message })
    }
    const id = newId('cs')
    return put(state.sessions, {
      id,
      object: 'checkout.session',
      mode,
      customer,
      client_reference_id,
      metadata,
      status: 'open',
      payment_status: 'unpaid',
      payment_intent: null,
      subscription: null,
      created: state.now,
      expires_at: state.now + 24 * 60 * 60,
      livemode: false,
      url: `${pages}/pay/${id}`,
      // Stored for the later payment; not part of the API.
      bought: price.id,
      planned: isRecord(subscription_data) ? subscription_data.metadata : {},
    })
  }

  function search(path: string, params: Params): object {
    const all = collections[path]?.() ?? []
    const newestFirst = all.filter((object) => fits(path, object, params)).toReversed()
    const from = newestFirst.findIndex(({ id }) => id === params.starting_after) + 1
    const limit = Number(params.limit ?? 10)
    const data = newestFirst.slice(from, from + limit).map((object) => expanded(object, paths(params, 'data.')))
    return { ...list(data, path), has_more: newestFirst.length > from + limit }
  }

  /** Nests only the requested objects; elsewhere there is only the id, or nothing. */
  function expanded({ bought, planned: _, ...object }: StripeObject, asked: readonly string[]): object {
    const below = (name: string) =>
      asked.filter((path) => path.startsWith(`${name}.`)).map((p) => p.slice(name.length + 1))
    const wants = (name: string) => asked.some((path) => path === name || path.startsWith(`${name}.`))
    const nested: Params = {}
    const intent = state.intents.get(object.payment_intent)
    if (wants('payment_intent') && intent) nested.payment_intent = expanded(intent, below('payment_intent'))
    const charge = state.charges.get(object.latest_charge)
    if (wants('latest_charge') && charge) nested.latest_charge = charge
    if (wants('line_items') && bought) nested.line_items = list([{ price: state.prices.get(bought), quantity: 1 }])
    return structuredClone({ ...object, ...nested })
  }

  return (method: string, path: string, params: Params): object => {
    const expired = /^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(path)?.[1]
    if (method === 'POST' && expired) {
      const session = required(state.sessions, expired)
      if (session.status !== 'open') throw new ApiError(400, { type: 'invalid_request_error', message: 'not open' })
      return expanded(Object.assign(session, { status: 'expired' }), [])
    }
    if (method === 'DELETE') {
      const subscription = state.subscriptions.get(path.slice('/v1/subscriptions/'.length))
      if (!subscription) throw notFound(path)
      const ended = { status: 'canceled', canceled_at: state.now, ended_at: state.now }
      return expanded(Object.assign(subscription, ended), [])
    }
    if (method === 'POST') {
      const create = creations[path]
      if (!create) throw notFound(path)
      return expanded(create(params), [])
    }
    if (path in collections) return search(path, params)
    const [, folder = '', id = ''] = /^(.*)\/([^/]+)$/.exec(path) ?? []
    const object = collections[folder]?.().find((one) => one.id === id)
    if (!object) throw notFound(id)
    return expanded(object, paths(params, ''))
  }
}

function fits(path: string, object: StripeObject, { status, types, active, customer }: Params): boolean {
  if (customer !== undefined && object.customer !== customer) return false
  if (path === '/v1/subscriptions') return status === 'all' || object.status !== 'canceled'
  if (path === '/v1/events') return !Array.isArray(types) || types.includes(object.type)
  if (path === '/v1/payment_links') return active === undefined || object.active === (active === 'true')
  return status === undefined || object.status === status
}

const paths = ({ expand }: Params, prefix: string) =>
  (Array.isArray(expand) ? expand : [])
    .map(String)
    .flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []))

function required(map: Map<string, StripeObject>, id: unknown): StripeObject {
  const object = map.get(`${id}`)
  if (!object)
    throw new ApiError(400, { type: 'invalid_request_error', code: 'resource_missing', message: `No such: ${id}` })
  return object
}

const isRecord = (value: unknown): value is Params => typeof value === 'object' && value !== null

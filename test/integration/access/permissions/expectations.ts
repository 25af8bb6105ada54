import type { Role } from './world.ts'

type Statuses = Record<Role, number>

const everyone = (status: number): Statuses => ({
  nobody: status,
  badToken: status,
  readOnly: status,
  reader: status,
  writer: status,
  areaAdmin: status,
  admin: status,
  stranger: status,
  superAdmin: status,
})
const anyone = everyone(200)
/** The stranger requests a namespace without a grant. */
const authenticated: Statuses = { ...anyone, nobody: 401, badToken: 401, stranger: 403 }
const write: Statuses = { ...authenticated, readOnly: 403, reader: 403 }
const admin: Statuses = { ...write, writer: 403 }
const adminPrincipal: Statuses = { ...admin, areaAdmin: 403 }

/** The specification's permission column: the status per role, by the required permission of a route. */
export const expectations = {
  public: anyone,
  /** Requires no credential, but a credential must be valid if sent. */
  open: { ...authenticated, nobody: 200 },
  authenticated,
  read: authenticated,
  write,
  admin,
  'admin principal': adminPrincipal,
  'owner or super-admin': { ...everyone(403), nobody: 401, badToken: 401, superAdmin: 200 },
  /** Every role acts in another namespace, including the super-admin. */
  'admin of demo': { ...adminPrincipal, admin: 403, superAdmin: 403 },
  /** The super-admin comes from the configuration: it has no record that could hold keys. */
  'own record': { ...authenticated, superAdmin: 403 },
  /** Keys and the super-admin have no agents. */
  person: { ...everyone(403), nobody: 401, badToken: 401 },
  /** Billing in a world without a payment provider: callers that may pay learn that it is missing. */
  'paying, without a provider': {
    ...authenticated,
    readOnly: 503,
    reader: 503,
    writer: 503,
    areaAdmin: 503,
    admin: 503,
    superAdmin: 403,
  },
  /** The world has no endpoint secret. Over GraphQL a credential must still be valid if sent. */
  'webhook signature': everyone(503),
  'webhook signature, over GraphQL': { ...everyone(503), badToken: 401, stranger: 403 },
  /** No role has this secret; a token is not accepted in its place. */
  'cron secret': everyone(401),
  'cron secret, over GraphQL': { ...everyone(401), stranger: 403 },
} as const satisfies Record<string, Statuses>

export type Need = keyof typeof expectations

import type { Role } from './world.ts'

type Statuses = Record<Role, number>

const anyone: Statuses = {
  nobody: 200,
  badToken: 200,
  readOnly: 200,
  reader: 200,
  writer: 200,
  areaAdmin: 200,
  admin: 200,
  stranger: 200,
  superAdmin: 200,
}
/** The stranger names a namespace that it was not granted. */
const authenticated: Statuses = { ...anyone, nobody: 401, badToken: 401, stranger: 403 }
const write: Statuses = { ...authenticated, readOnly: 403, reader: 403 }
const admin: Statuses = { ...write, writer: 403 }
const adminPrincipal: Statuses = { ...admin, areaAdmin: 403 }

/** The specification's permission column: who gets what, by what a route asks for. */
export const expectations = {
  public: anyone,
  /** Needs no credential, but one that is sent must be right. */
  open: { ...authenticated, nobody: 200 },
  authenticated,
  read: authenticated,
  write,
  admin,
  'admin principal': adminPrincipal,
  /** Every role acts in another namespace than that, the super-admin too. */
  'admin of demo': { ...adminPrincipal, admin: 403, superAdmin: 403 },
  /** The super-admin exists by configuration: it has no record of its own that could hold keys. */
  'own record': { ...authenticated, superAdmin: 403 },
} as const satisfies Record<string, Statuses>

export type Need = keyof typeof expectations

import { type Permission, permissions } from '../../model/registry.ts'
import type { TierName } from '../../model/tiers.ts'
import { seedGroups } from './dataset.ts'

/** A principal that the seed creates, with its home namespace and its one grant there. */
export interface SeedPrincipal {
  /** The name of the token in the response; it is also part of the token. */
  token: string
  principalId: string
  namespace: string
  tier: TierName
  perms: readonly Permission[]
  scope: string
  groups: readonly string[]
  readOnly: boolean
}

const tierPrincipal = (tier: TierName, perms: readonly Permission[]): SeedPrincipal => ({
  token: tier,
  principalId: `${tier}-user`,
  namespace: tier,
  tier,
  perms,
  scope: '*',
  groups: [],
  readOnly: false,
})

/** Writes and owns the demo content. */
export const demoAdmin: SeedPrincipal = {
  token: 'admin',
  principalId: 'demo-admin',
  namespace: 'demo',
  tier: 'enterprise',
  perms: permissions,
  scope: '*',
  groups: seedGroups,
  readOnly: false,
}

/** Sees strictly fewer Units than the admin: one scope, one group. */
const demoReadonly: SeedPrincipal = {
  ...demoAdmin,
  token: 'readonly',
  principalId: 'demo-readonly',
  perms: ['read'],
  scope: 'harbor/backend',
  groups: ['backend'],
  readOnly: true,
}

export const seedPrincipals: readonly SeedPrincipal[] = [
  demoAdmin,
  demoReadonly,
  tierPrincipal('free', ['read', 'write']),
  tierPrincipal('pro', ['read', 'write']),
  tierPrincipal('enterprise', permissions),
]

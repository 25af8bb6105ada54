import {
  type HiddenCount,
  hiddenCounts,
  type KeyRestrictions,
  permissions,
  principalKinds,
} from '../../../model/registry.ts'
import { type BillingKind, paidTiers, tierNames } from '../../../model/tiers.ts'
import { planes } from '../../../model/unit.ts'
import { jsonOf, oneOf, someOf } from './columns.ts'

/** Enumerations stored as plain text: see docs/decisions/text-columns.md. Each reader throws for an unknown word. */

export const toTier = oneOf(tierNames, 'a tier')
export const toPaidTier = oneOf(paidTiers, 'a paid tier')
const billingKinds: readonly BillingKind[] = ['subscription', 'session', 'charge', 'dispute']
export const toBillingKind = oneOf(billingKinds, 'a kind of billing facts')
export const toPlane = oneOf(planes, 'a plane')
export const toKind = oneOf(principalKinds, 'a kind of principal')
export const toPermissions = someOf(permissions, 'a permission')
const toCount = oneOf(hiddenCounts, 'a count of hidden Units')
/** As long as nothing is chosen, it is exact. */
export const toHiddenCount = (stored: string | null): HiddenCount => (stored === null ? 'exact' : toCount(stored))

export const toPlanes = someOf(planes, 'a plane')

/** The restrictions of a key: if they cannot be read, they must not count as "none". */
export function toRestrictions(stored: unknown): KeyRestrictions {
  const { perms, planes, hiddenCount, ...others } = jsonOf<KeyRestrictions>(stored ?? {})
  return {
    ...others,
    ...(perms !== undefined && { perms: toPermissions(perms) }),
    ...(planes !== undefined && { planes: toPlanes(planes) }),
    ...(hiddenCount !== undefined && { hiddenCount: toHiddenCount(hiddenCount) }),
  }
}

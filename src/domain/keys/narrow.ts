import { forbidden } from '../../errors.ts'
import { type KeyRestrictions, narrowestOf } from '../../model/registry.ts'
import { covers } from '../../model/scope-path.ts'

/** The first restriction where `asked` is wider than `held`, or null. A missing restriction allows everything. */
export function widens(held: KeyRestrictions, asked: KeyRestrictions): keyof KeyRestrictions | null {
  if (!isSubset(held.perms, asked.perms)) return 'perms'
  if (held.scopePrefix !== undefined && !covers(held.scopePrefix, asked.scopePrefix ?? '*')) return 'scopePrefix'
  if (!isSubset(held.planes, asked.planes)) return 'planes'
  if (!isSubset(held.groups, asked.groups)) return 'groups'
  if (narrowestOf([held.hiddenCount, asked.hiddenCount]) !== narrowestOf([asked.hiddenCount])) return 'hiddenCount'
  return null
}

const isSubset = (held: readonly string[] | undefined, asked: readonly string[] | undefined) =>
  held === undefined || (asked?.every((item) => held.includes(item)) ?? false)

/** The restrictions of a key created by one with `held`: missing ones are inherited, wider ones give 403. */
export function narrow(held: KeyRestrictions, asked: KeyRestrictions): KeyRestrictions {
  const narrowed = { ...held, ...asked }
  const beyond = widens(held, narrowed)
  if (beyond !== null) throw forbidden(`${beyond}: a restricted key can only create keys within its own restrictions`)
  return narrowed
}

/** The same for the expiry; null is never. */
export function endsNoLater(held: number | undefined, asked: number | undefined): number | null {
  if (held !== undefined && asked !== undefined && asked > held) {
    throw forbidden('expiresAt: a key that expires can only create keys that expire no later')
  }
  return asked ?? held ?? null
}

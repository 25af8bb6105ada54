import { forbidden } from '../../errors.ts'
import type { Permission } from '../../model/registry.ts'
import { covers, type ScopePattern } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'

/** The caller must hold them on every scope of the grant: an agent lacks some where scopes are read-only for agents. */
export function requireHeld(session: Session, perms: readonly Permission[], scope: ScopePattern): void {
  const reached = session.facts.scopes.map((s) => s.scope).filter((path) => covers(scope, path))
  const lacking = perms.find((perm) => ![scope, ...reached].every((path) => session.may(perm, path)))
  if (lacking !== undefined) throw forbidden(`${lacking} permission is required on all of ${scope} to grant it`)
}

import { forbidden } from '../../errors.ts'
import type { Permission } from '../../model/registry.ts'
import type { ScopePattern } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'

/** The one gate of the domain. */
export function require(session: Session, perm: Permission, path: ScopePattern = session.requestedScope): void {
  if (!session.mayUnder(perm, path)) throw forbidden(`${perm} permission is required on ${path}`)
}

/** For what concerns the whole namespace: `admin` on `*`. */
export function requireAdmin(session: Session): void {
  if (!session.isAdmin) throw forbidden('an admin principal is required')
}

import { mayRead } from '../../model/acl.ts'
import { type Permission, permissions } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Acl, Plane } from '../../model/unit.ts'

/** How what a key makes and changes stays within the key. */
export const bounds = {
  /** When what it makes ends at the latest, epoch milliseconds; null for never. */
  expiresAt: ({ facts }: Session): number | null => facts.keyExpiresAt ?? null,

  /** What it may grant at most. */
  perms: ({ facts: { restrictions } }: Session): Permission[] =>
    permissions.filter((perm) => restrictions.perms?.includes(perm) !== false),

  /** Whether it may change a Unit that its principal wrote in a scope: one that no restriction of the key closes. */
  reaches: (session: Session, scope: string, { plane, acl }: { plane: Plane; acl: Acl }): boolean => {
    const mayBeRead = (reading: Session) => mayRead(reading.readerAt(scope), acl)
    return session.keyPlanes.includes(plane) && (mayBeRead(session) || !mayBeRead(session.with({ restrictions: {} })))
  },
}

import { mayRead } from '../../model/acl.ts'
import { type KeyRestrictions, type Permission, permissions } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Acl, Plane } from '../../model/unit.ts'

/** Keeps what a key creates and changes within the limits of the key. */
export const bounds = {
  /** The latest expiry of what the key creates, epoch milliseconds; null for never. */
  expiresAt: ({ facts }: Session): number | null => facts.keyExpiresAt ?? null,

  /** The permissions that the key may grant at most. */
  perms: ({ facts: { restrictions } }: Session): Permission[] =>
    permissions.filter((perm) => restrictions.perms?.includes(perm) !== false),

  /** The restrictions that the tokens of other principals take from the key. */
  ofTokens: ({ facts: { restrictions } }: Session): KeyRestrictions => ({
    ...(restrictions.hiddenCount !== undefined && { hiddenCount: restrictions.hiddenCount }),
  }),

  /** Whether the key may change a Unit that its principal wrote in this scope: no restriction may exclude the Unit. */
  reaches: (session: Session, scope: string, { plane, acl }: { plane: Plane; acl: Acl }): boolean => {
    const mayBeRead = (reading: Session) => mayRead(reading.readerAt(scope), acl)
    return session.keyPlanes.includes(plane) && (mayBeRead(session) || !mayBeRead(session.with({ restrictions: {} })))
  },
}

import type { Listed, PageRange } from '../../../model/page.ts'
import type { Permission, ScopePattern } from '../../../model/registry.ts'
import { type Db, listed, numbersOf } from '../database/db.ts'
import { toPermissions } from '../database/words.ts'
import type { Prisma } from '../generated/client.ts'
import type { Heads } from './head.ts'
import { ofNamespace } from './registry.ts'

/** An offer of a grant, by a link that works once. Times are epoch milliseconds. */
export interface InvitationRecord {
  id: string
  namespaceId: string
  /** The name of the namespace. */
  namespace: string
  /** The only address that it is for, in lower case; null for anyone who has the link. */
  email: string | null
  scope: ScopePattern
  perms: readonly Permission[]
  groups: readonly string[]
  createdBy: string
  createdAt: number
  expiresAt: number
  /** When the grant that it gives expires; null for never. */
  grantEndsAt: number | null
  acceptedAt: number | null
  acceptedBy: string | null
  revokedAt: number | null
}

export function createInvitationReader(db: Db) {
  return {
    /** By the SHA-256 of its token, in any state. Null if it is unknown or its namespace was deleted. */
    find: async (hash: string): Promise<InvitationRecord | null> => {
      const row = await db.invitation.findFirst({
        where: { hash, namespace: { deletedAt: null } },
        include: ofNamespace,
      })
      return row && toInvitation(row)
    },

    /** In any state, oldest first. */
    list: (namespaceId: string, range?: PageRange): Promise<Listed<InvitationRecord>> => {
      const where = { namespaceId }
      const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }]
      return listed(
        range,
        (page) => db.invitation.findMany({ where, include: ofNamespace, orderBy, ...page }),
        () => db.invitation.count({ where }),
        toInvitation,
      )
    },

    /** Where the grant of one in any state applies; null if there is none. */
    scopeOf: async (namespaceId: string, id: string): Promise<ScopePattern | null> =>
      (await db.invitation.findFirst({ where: { namespaceId, id }, select: { scope: true } }))?.scope ?? null,

    /** The address of the person who signs in as this principal, in lower case; null if there is none, or nobody proved it. */
    provedEmailOf: async (principalId: string): Promise<string | null> => {
      const principal = await db.principal.findUnique({ where: { principalId }, select: { userId: true } })
      if (principal?.userId == null) return null
      const where = { id: principal.userId, emailVerified: true }
      const user = await db.authUser.findUnique({ where, select: { email: true } })
      return user?.email.toLowerCase() ?? null
    },
  }
}

type Row = Prisma.InvitationGetPayload<{ include: typeof ofNamespace }>

const toInvitation = ({ hash: _, namespace, perms, ...row }: Row): InvitationRecord => ({
  ...numbersOf(row),
  namespace: namespace.name,
  perms: toPermissions(perms),
})

/** Writes under the head row of the namespace. */
export function createInvitationWriter(db: Db, heads: Heads) {
  const openAt = (now: number) => ({ acceptedAt: null, revokedAt: null, expiresAt: { gt: now } })
  return {
    ...createInvitationReader(db),

    countOpen: async (namespaceId: string, now: number) => {
      await heads.lock(namespaceId)
      return db.invitation.count({ where: { namespaceId, ...openAt(now) } })
    },

    insert: async (
      { perms, groups, ...invitation }: Omit<InvitationRecord, 'namespace' | 'acceptedAt' | 'acceptedBy' | 'revokedAt'>,
      hash: string,
    ) => {
      await heads.lock(invitation.namespaceId)
      await db.invitation.create({ data: { ...invitation, hash, perms: [...perms], groups: [...groups] } })
    },

    /** False, and nothing is written, unless it is open. */
    accept: async ({ namespaceId, id }: Pick<InvitationRecord, 'namespaceId' | 'id'>, by: string, now: number) => {
      await heads.lock(namespaceId)
      const where = { namespaceId, id, ...openAt(now) }
      return (await db.invitation.updateMany({ where, data: { acceptedAt: now, acceptedBy: by } })).count > 0
    },

    /** The same. */
    revoke: async (namespaceId: string, id: string, now: number) => {
      await heads.lock(namespaceId)
      const where = { namespaceId, id, ...openAt(now) }
      return (await db.invitation.updateMany({ where, data: { revokedAt: now } })).count > 0
    },
  }
}

export type InvitationReader = ReturnType<typeof createInvitationReader>

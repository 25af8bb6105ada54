import type { InvitationReader, InvitationRecord, InvitationWriter } from '../../../ports/catalog/invitations.ts'
import { type Db, listed, toNumber } from '../database/db.ts'
import { toPermissions } from '../database/words.ts'
import type { Prisma } from '../generated/client.ts'
import type { Heads } from './head.ts'

const named = { namespace: { select: { name: true } } } as const

export function createInvitationReader(db: Db): InvitationReader {
  return {
    find: async (hash) => {
      const row = await db.invitation.findFirst({ where: { hash, namespace: { deletedAt: null } }, include: named })
      return row && toInvitation(row)
    },

    list: (namespaceId, range) => {
      const where = { namespaceId }
      const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }]
      return listed(
        range,
        (page) => db.invitation.findMany({ where, include: named, orderBy, ...page }),
        () => db.invitation.count({ where }),
        toInvitation,
      )
    },

    scopeOf: async (namespaceId, id) =>
      (await db.invitation.findFirst({ where: { namespaceId, id }, select: { scope: true } }))?.scope ?? null,

    provedEmailOf: async (principalId) => {
      const principal = await db.principal.findUnique({ where: { principalId }, select: { userId: true } })
      if (principal?.userId == null) return null
      const where = { id: principal.userId, emailVerified: true }
      const user = await db.authUser.findUnique({ where, select: { email: true } })
      return user?.email.toLowerCase() ?? null
    },
  }
}

type Row = Prisma.InvitationGetPayload<{ include: typeof named }>

const toInvitation = ({ hash: _, namespace, perms, ...row }: Row): InvitationRecord => ({
  ...row,
  namespace: namespace.name,
  perms: toPermissions(perms),
  createdAt: toNumber(row.createdAt),
  expiresAt: toNumber(row.expiresAt),
  grantEndsAt: timeOf(row.grantEndsAt),
  acceptedAt: timeOf(row.acceptedAt),
  revokedAt: timeOf(row.revokedAt),
})

const timeOf = (stored: bigint | null) => (stored === null ? null : toNumber(stored))

export function createInvitationWriter(db: Db, heads: Heads): InvitationWriter {
  const openAt = (now: number) => ({ acceptedAt: null, revokedAt: null, expiresAt: { gt: now } })
  return {
    ...createInvitationReader(db),

    countOpen: async (namespaceId, now) => {
      await heads.lock(namespaceId)
      return db.invitation.count({ where: { namespaceId, ...openAt(now) } })
    },

    insert: async ({ perms, groups, ...invitation }, hash) => {
      await heads.lock(invitation.namespaceId)
      await db.invitation.create({ data: { ...invitation, hash, perms: [...perms], groups: [...groups] } })
    },

    accept: async ({ namespaceId, id }, by, now) => {
      await heads.lock(namespaceId)
      const where = { namespaceId, id, ...openAt(now) }
      return (await db.invitation.updateMany({ where, data: { acceptedAt: now, acceptedBy: by } })).count > 0
    },

    revoke: async (namespaceId, id, now) => {
      await heads.lock(namespaceId)
      const where = { namespaceId, id, ...openAt(now) }
      return (await db.invitation.updateMany({ where, data: { revokedAt: now } })).count > 0
    },
  }
}

import type { InvitationWriter } from '../../../ports/catalog/invitations.ts'
import type { Db } from '../database/db.ts'
import { createInvitationReader } from '../reads/invitations.ts'
import type { Heads } from '../sql/head.ts'

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

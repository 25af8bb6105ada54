import { genesisHash } from '../../../model/audit.ts'
import type { Permission } from '../../../model/registry.ts'
import type { NewHome, Provisioner } from '../../../ports/catalog/provisioner.ts'
import type { Db } from '../database/db.ts'
import { toTier } from '../database/words.ts'
import { createAccessReader } from '../reads/access.ts'
import { createKeptAnswers } from '../reads/kept-answers.ts'
import { createRegistryReader } from '../reads/registry.ts'
import { appendAudit, type Heads } from '../sql/head.ts'
import { createWriter, insertGrant } from '../writer/writer.ts'
import { createBillingWriter } from './billing.ts'
import { createClaims } from './claims.ts'
import { createInvitationWriter } from './invitations.ts'
import { createRemoval } from './removal.ts'

/** Grants that make someone an admin principal permanently. */
const ofAdmins = {
  scope: '*',
  expiresAt: null,
  perms: { has: 'admin' satisfies Permission },
  principal: { deletedAt: null, readOnly: false },
}

export function createProvisioner(db: Db, heads: Heads): Provisioner {
  const access = createAccessReader(db)
  return {
    access,
    registry: createRegistryReader(db),
    claims: createClaims(db, heads),
    billing: createBillingWriter(db, heads),
    invitations: createInvitationWriter(db, heads),
    kept: createKeptAnswers(db),
    ...createRemoval(db, heads),
    hasPrincipals: access.hasPrincipals,
    within: async (namespaceId) => createWriter(db, await heads.lock(namespaceId)),

    ensureNamespace: async ({ id, name, tier, createdAt }) => {
      const existing = await db.namespace.findUnique({ where: { name } })
      if (existing) return { id: existing.id, name, tier: toTier(existing.tier) }
      await db.namespace.create({
        data: { id, name, tier, createdAt, registered: true, head: { create: { auditHash: genesisHash } } },
      })
      return { id, name, tier }
    },

    updateNamespace: async (id, settings) => {
      await heads.lock(id)
      await db.namespace.update({ where: { id }, data: settings })
    },

    ensurePrincipal: async ({ principalId, groups, ...principal }) => {
      const data = { ...principal, groups: [...groups] }
      // Seeding restores a deleted one, under its old id.
      const update = { ...data, deletedAt: null }
      await db.principal.upsert({ where: { principalId }, create: { principalId, ...data }, update })
    },

    ensureGrant: async (namespaceId, grant) => {
      const { principalId, scope } = grant
      const existing = await db.grant.findFirst({ where: { namespaceId, principalId, scope, expiresAt: null } })
      if (!existing) await insertGrant(db, namespaceId, grant)
    },

    replaceTokens: async (principalId, { restrictions, ...token }) => {
      const replaced = { principalId, name: token.name }
      const old = await db.token.findMany({ where: replaced, select: { hash: true } })
      await db.token.deleteMany({ where: replaced })
      await db.token.create({ data: { ...token, principalId, restriction: { ...restrictions } } })
      return old.map((token) => token.hash)
    },

    insertGrant: async (namespaceId, grant) => {
      await heads.lock(namespaceId)
      await insertGrant(db, namespaceId, grant)
    },

    removeGrant: async (namespaceId, id) => {
      await heads.lock(namespaceId)
      await db.grant.delete({ where: { namespaceId_id: { namespaceId, id } } })
    },

    provisionUser: (home) => provisionUser(db, home),

    adminGrants: (namespaceId) =>
      db.grant.findMany({ where: { namespaceId, ...ofAdmins }, select: { id: true, principalId: true } }),

    administeredBy: async (principalIds) => {
      const rows = await db.grant.findMany({
        where: { principalId: { in: [...principalIds] }, namespace: { deletedAt: null }, ...ofAdmins },
        select: { namespaceId: true },
        distinct: ['namespaceId'],
      })
      return rows.map((row) => row.namespaceId)
    },

    audit: async (namespaceId, entry) => appendAudit(await heads.lock(namespaceId), entry),
  }
}

/** Writes all parts of a provisioned user. Two for the same user collide on the link. */
async function provisionUser(db: Db, home: NewHome): Promise<void> {
  const { userId, principalId, namespace, tier, grant, scope, createdAt } = home
  const { scope: path, planes, ...starter } = scope
  await db.namespace.create({
    data: {
      ...namespace,
      tier,
      owner: principalId,
      registered: false,
      createdAt,
      head: { create: { auditHash: genesisHash } },
      scopes: { create: { ...starter, path, planes: [...planes], createdAt } },
    },
  })
  await db.principal.create({
    data: { principalId, namespaceId: namespace.id, kind: 'user', groups: [], userId, createdAt },
  })
  await insertGrant(db, namespace.id, { ...grant, principalId, grantedBy: principalId, createdAt })
}

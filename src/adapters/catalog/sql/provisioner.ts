import { genesisHash } from '../../../model/audit.ts'
import { type Permission, starterScope } from '../../../model/registry.ts'
import type { NamespaceClaims, NewHome, Provisioner, Revoked } from '../../../ports/catalog/provisioner.ts'
import { integer } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { toTier } from '../database/words.ts'
import type { Prisma } from '../generated/client.ts'
import { createAccessReader } from './access.ts'
import { createBillingWriter } from './billing.ts'
import { removeTokens } from './credentials.ts'
import { appendAudit, type Heads } from './head.ts'
import { createInvitationWriter } from './invitations.ts'
import { createRegistryReader, toNamespace } from './registry.ts'
import { createKeptAnswers } from './requests.ts'
import { select } from './select.ts'
import { createWriter, insertGrant } from './writer.ts'

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

export function createClaims(db: Db, heads: Heads): NamespaceClaims {
  return {
    holderOf: async (name) => {
      const row = await db.namespace.findUnique({ where: { name } })
      return row && { ...toNamespace(row), deleted: row.deletedAt !== null }
    },

    isUsedByOthers: async (namespaceId, principalId) => {
      const another = { namespaceId, principalId: { not: principalId } }
      const select = { principalId: true }
      const found =
        (await db.principal.findFirst({ where: another, select })) ??
        (await db.grant.findFirst({ where: another, select }))
      return found !== null
    },

    countRegistered: (homeId, exceptId) => countRegistered(db, homeId, exceptId),

    ownedBy: async (principalIds) => {
      const where = { principalId: { in: [...principalIds] }, deletedAt: null }
      const living = await db.principal.findMany({ where, select: { principalId: true } })
      const rows = await db.namespace.findMany({
        where: { owner: { in: living.map((principal) => principal.principalId) }, deletedAt: null },
        select: { id: true },
        orderBy: { id: 'asc' },
      })
      return rows.map((row) => row.id)
    },

    hasScopes: async (namespaceId) => {
      const found = await db.scope.findFirst({
        where: { namespaceId, deletedAt: null, OR: [{ path: { not: starterScope } }, { units: { some: {} } }] },
        select: { id: true },
      })
      return found !== null
    },

    register: async (id, owner) => {
      await heads.lock(id)
      await db.namespace.update({ where: { id }, data: { owner, registered: true } })
    },

    moveHome: async (principalId, namespaceId) => {
      await db.principal.update({ where: { principalId }, data: { namespaceId, activeScope: '*' } })
    },
  }
}

type Removal = Pick<Provisioner, 'removePrincipal' | 'removeNamespace'>

/** Heads are locked before rows: a writer that holds a head may wait for a row, but not the reverse. */
function createRemoval(db: Db, heads: Heads): Removal {
  /** Returns exactly the removed ones: rows added between the two statements stay. */
  const removeGrants = async (where: Prisma.GrantWhereInput): Promise<Revoked['grants']> => {
    const grants = await db.grant.findMany({ where, select: { namespaceId: true, id: true, principalId: true } })
    const keys = grants.map(({ namespaceId, id }) => ({ namespaceId, id }))
    await db.grant.deleteMany({ where: { OR: keys } })
    return grants
  }

  const revoke = async (principalIds: readonly string[]): Promise<Revoked> => {
    const held = { principalId: { in: [...principalIds] } }
    const granted = await db.grant.findMany({
      where: held,
      distinct: ['namespaceId'],
      orderBy: { namespaceId: 'asc' },
      select: { namespaceId: true },
    })
    for (const { namespaceId } of granted) await heads.lock(namespaceId)
    await db.agentConnection.deleteMany({ where: held })
    return { tokens: await removeTokens(db, held), grants: await removeGrants(held) }
  }

  return {
    removePrincipal: async (namespaceId, principalId, now) => {
      await heads.lock(namespaceId)
      const revoked = await revoke([principalId])
      await db.principal.update({ where: { principalId }, data: { deletedAt: now } })
      return revoked
    },

    removeNamespace: async (namespaceId, now) => {
      await heads.lock(namespaceId)
      const live = { namespaceId, deletedAt: null }
      const homed = await db.principal.findMany({ where: live, select: { principalId: true } })
      const { tokens, grants } = await revoke(homed.map(({ principalId }) => principalId))
      const guests = await removeGrants({ namespaceId })
      await db.goldenQuery.deleteMany({ where: { namespaceId } })
      await db.evaluationRun.deleteMany({ where: { namespaceId } })
      await db.auditExport.deleteMany({ where: { namespaceId } })
      await db.sourceLink.deleteMany({ where: { namespaceId } })
      await db.invitation.deleteMany({ where: { namespaceId } })
      const scopes = await db.scope.updateMany({ where: live, data: { deletedAt: now } })
      const principals = await db.principal.updateMany({ where: live, data: { deletedAt: now, userId: null } })
      await db.namespace.update({ where: { id: namespaceId }, data: { deletedAt: now } })
      return { tokens, grants: [...grants, ...guests], scopes: scopes.count, principals: principals.count }
    },
  }
}

/** See `NamespaceClaims.countRegistered`. */
async function countRegistered(db: Db, homeId: string, exceptId: string): Promise<number> {
  const [row] = await select(db, { count: integer })`
    SELECT count(*)::int AS count FROM namespace n
    WHERE n.registered AND n.deleted_at IS NULL AND n.id <> ${exceptId} AND (n.id = ${homeId}
      OR n.owner IN (SELECT principal_id FROM principal WHERE namespace_id = ${homeId})
      OR n.owner = (SELECT owner FROM namespace WHERE id = ${homeId}))`
  return row?.count ?? 0
}

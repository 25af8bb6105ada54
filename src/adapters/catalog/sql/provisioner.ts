import { type AuditEntry, genesisHash } from '../../../model/audit.ts'
import type {
  Grant,
  Namespace,
  NamespaceRecord,
  NamespaceSettings,
  PrincipalKind,
  Scope,
  Synonyms,
} from '../../../model/registry.ts'
import { type Permission, starterScope } from '../../../model/registry.ts'
import type { TierName } from '../../../model/tiers.ts'
import { integer } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { toTier } from '../database/words.ts'
import type { Prisma } from '../generated/client.ts'
import { createAccessReader } from './access.ts'
import { createBillingWriter } from './billing.ts'
import type { TokenRow } from './credentials.ts'
import { removeTokens } from './credentials.ts'
import { createGroupWriter } from './groups.ts'
import { appendAudit, type Heads } from './head.ts'
import { createInvitationWriter } from './invitations.ts'
import { createRegistryReader, toNamespace } from './registry.ts'
import { createKeptAnswers } from './requests.ts'
import { select } from './select.ts'
import type { GrantRow, NamespaceWriter } from './writer.ts'
import { createWriter, insertGrant } from './writer.ts'

/** What a removal removed. */
export interface Revoked {
  /** Hashes of revoked tokens. */
  tokens: string[]
  grants: { namespaceId: string; id: string; principalId: string }[]
}

/** What a new user gets: an unregistered home namespace, a grant of everything in it, and one scope. */
export interface NewHome {
  userId: string
  /** Of the person, from the sign-in. */
  name: string | null
  email: string | null
  principalId: string
  namespace: { id: string; name: string }
  tier: TierName
  grant: Grant
  scope: Omit<Scope, 'namespace' | 'createdAt'>
  createdAt: number
}

export interface PrincipalRow {
  principalId: string
  namespaceId: string
  kind: PrincipalKind
  name?: string | null
  groups: readonly string[]
  inheritedGroups?: readonly string[]
  readOnly: boolean
  activeScope: string
  createdAt: number
}

/** Grants that make someone an admin principal permanently. */
const ofAdmins = {
  scope: '*',
  expiresAt: null,
  perms: { has: 'admin' satisfies Permission },
  principal: { deletedAt: null, readOnly: false },
}

/**
 * Writes namespaces, principals and grants. Before it changes a namespace's registry, it locks the namespace's head
 * row, so other writers wait. Methods named `ensure…` keep what already exists.
 */
export function createProvisioner(db: Db, heads: Heads) {
  const access = createAccessReader(db)
  return {
    /** The state under the lock, including the changes of this transaction. */
    access,
    registry: createRegistryReader(db),
    claims: createClaims(db, heads),
    billing: createBillingWriter(db, heads),
    invitations: createInvitationWriter(db, heads),
    groups: createGroupWriter(db, heads),
    kept: createKeptAnswers(db),
    ...createRemoval(db, heads),
    hasPrincipals: access.hasPrincipals,
    /** The writes of one namespace, as part of this transaction. */
    within: async (namespaceId: string): Promise<NamespaceWriter> => createWriter(db, await heads.lock(namespaceId)),

    ensureNamespace: async ({
      id,
      name,
      tier,
      createdAt,
    }: {
      id: string
      name: string
      tier: TierName
      createdAt: number
    }): Promise<Namespace> => {
      const existing = await db.namespace.findUnique({ where: { name } })
      if (existing) return { id: existing.id, name, tier: toTier(existing.tier) }
      await db.namespace.create({
        data: { id, name, tier, createdAt, registered: true, head: { create: { auditHash: genesisHash } } },
      })
      return { id, name, tier }
    },

    updateNamespace: async (id: string, settings: Partial<NamespaceSettings>) => {
      await heads.lock(id)
      await db.namespace.update({ where: { id }, data: settings })
    },

    /** In place of those that it had. `version` identifies them; null where there are none. */
    setSynonyms: async (namespaceId: string, rules: Synonyms, version: string | null) => {
      await heads.lock(namespaceId)
      const stored = { rules: rules as unknown as Prisma.InputJsonObject }
      if (version === null) await db.synonyms.deleteMany({ where: { namespaceId } })
      else await db.synonyms.upsert({ where: { namespaceId }, create: { namespaceId, ...stored }, update: stored })
      await db.namespace.update({ where: { id: namespaceId }, data: { synonymsVersion: version } })
    },

    ensurePrincipal: async ({ principalId, groups, inheritedGroups = [], ...principal }: PrincipalRow) => {
      const data = { ...principal, groups: [...groups], inheritedGroups: [...inheritedGroups] }
      // Seeding restores a deleted one, under its old id.
      const update = { ...data, deletedAt: null }
      await db.principal.upsert({ where: { principalId }, create: { principalId, ...data }, update })
    },

    /** Of a live principal homed in the namespace. Takes effect with its next request anywhere. */
    updatePrincipal: async (
      namespaceId: string,
      principalId: string,
      changes: Partial<Pick<PrincipalRow, 'name' | 'readOnly' | 'activeScope'>>,
      held?: Pick<PrincipalRow, 'groups' | 'inheritedGroups'>,
    ) => {
      await heads.lock(namespaceId)
      await db.principal.update({
        where: { principalId },
        data: {
          ...changes,
          ...(held && { groups: [...held.groups], inheritedGroups: [...(held.inheritedGroups ?? [])] }),
        },
      })
    },

    ensureGrant: async (namespaceId: string, grant: GrantRow) => {
      const { principalId, scope } = grant
      const existing = await db.grant.findFirst({ where: { namespaceId, principalId, scope, expiresAt: null } })
      if (!existing) await insertGrant(db, namespaceId, grant)
    },

    /** Replaces the principal's tokens of this name; returns the hashes of revoked tokens. */
    replaceTokens: async (principalId: string, { restrictions, ...token }: TokenRow): Promise<string[]> => {
      const replaced = { principalId, name: token.name }
      const old = await db.token.findMany({ where: replaced, select: { hash: true } })
      await db.token.deleteMany({ where: replaced })
      await db.token.create({ data: { ...token, principalId, restriction: { ...restrictions } } })
      return old.map((token) => token.hash)
    },

    insertGrant: async (namespaceId: string, grant: GrantRow) => {
      await heads.lock(namespaceId)
      await insertGrant(db, namespaceId, grant)
    },

    removeGrant: async (namespaceId: string, id: string) => {
      await heads.lock(namespaceId)
      await db.grant.delete({ where: { namespaceId_id: { namespaceId, id } } })
    },

    /**
     * Creates a namespace with its owner, the principal for the user of a console session. Two for the same user collide on
     * the link.
     */
    provisionUser: async (home: NewHome) => {
      const { userId, name, email, principalId, namespace, tier, grant, scope, createdAt } = home
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
        data: { principalId, namespaceId: namespace.id, kind: 'user', name, email, groups: [], userId, createdAt },
      })
      await insertGrant(db, namespace.id, { ...grant, principalId, grantedBy: principalId, createdAt })
    },

    /**
     * The grants of `admin` on `*` that make someone a permanent admin principal: no expiry, and a live principal that
     * may write.
     */
    adminGrants: (namespaceId: string): Promise<{ id: string; principalId: string }[]> =>
      db.grant.findMany({ where: { namespaceId, ...ofAdmins }, select: { id: true, principalId: true } }),

    /** Ids of the live namespaces where one of these principals has such a grant. */
    administeredBy: async (principalIds: readonly string[]): Promise<string[]> => {
      const rows = await db.grant.findMany({
        where: { principalId: { in: [...principalIds] }, namespace: { deletedAt: null }, ...ofAdmins },
        select: { namespaceId: true },
        distinct: ['namespaceId'],
      })
      return rows.map((row) => row.namespaceId)
    },

    /** Appends to a live namespace's chain. */
    audit: async (namespaceId: string, entry: AuditEntry) => appendAudit(await heads.lock(namespaceId), entry),
  }
}

/** The reads and writes needed to claim a namespace. */
export function createClaims(db: Db, heads: Heads) {
  return {
    /** The namespace that has or had this name: names are never reused. */
    holderOf: async (name: string): Promise<(NamespaceRecord & { deleted: boolean }) | null> => {
      const row = await db.namespace.findUnique({ where: { name } })
      return row && { ...toNamespace(row), deleted: row.deletedAt !== null }
    },

    /** Whether anyone except this principal is or was homed in the namespace, or has a grant in it. */
    isUsedByOthers: async (namespaceId: string, principalId: string) => {
      const another = { namespaceId, principalId: { not: principalId } }
      const select = { principalId: true }
      const found =
        (await db.principal.findFirst({ where: another, select })) ??
        (await db.grant.findFirst({ where: another, select }))
      return found !== null
    },

    /**
     * Live registered namespaces that count against the quota of a home namespace: itself, and those whose owner is or
     * was homed in it or owns it. `exceptId` is left out.
     */
    countRegistered: async (homeId: string, exceptId: string) => {
      const [row] = await select(db, { count: integer })`
        SELECT count(*)::int AS count FROM namespace n
        WHERE n.registered AND n.deleted_at IS NULL AND n.id <> ${exceptId} AND (n.id = ${homeId}
          OR n.owner IN (SELECT principal_id FROM principal WHERE namespace_id = ${homeId})
          OR n.owner = (SELECT owner FROM namespace WHERE id = ${homeId}))`
      return row?.count ?? 0
    },

    /** Ids of the live namespaces, registered or not, owned by those of these principals that are not deleted. */
    ownedBy: async (principalIds: readonly string[]): Promise<string[]> => {
      const where = { principalId: { in: [...principalIds] }, deletedAt: null }
      const living = await db.principal.findMany({ where, select: { principalId: true } })
      const rows = await db.namespace.findMany({
        where: { owner: { in: living.map((principal) => principal.principalId) }, deletedAt: null },
        select: { id: true },
        orderBy: { id: 'asc' },
      })
      return rows.map((row) => row.id)
    },

    /** Whether a live scope is registered, except a starter scope that never had a Unit. */
    hasScopes: async (namespaceId: string) => {
      const found = await db.scope.findFirst({
        where: { namespaceId, deletedAt: null, OR: [{ path: { not: starterScope } }, { units: { some: {} } }] },
        select: { id: true },
      })
      return found !== null
    },

    /** Registers the namespace to this owner, even if it had another one. */
    register: async (id: string, owner: string) => {
      await heads.lock(id)
      await db.namespace.update({ where: { id }, data: { owner, registered: true } })
    },

    /** Makes the namespace the principal's home, with all of it as the active scope. */
    moveHome: async (principalId: string, namespaceId: string) => {
      await db.principal.update({ where: { principalId }, data: { namespaceId, activeScope: '*' } })
    },
  }
}

/** Heads are locked before rows: a writer that holds a head may wait for a row, but not the reverse. */
function createRemoval(db: Db, heads: Heads) {
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
    /** Logical; removes its tokens and its grants in every namespace. The link to its user stays. */
    removePrincipal: async (namespaceId: string, principalId: string, now: number): Promise<Revoked> => {
      await heads.lock(namespaceId)
      const revoked = await revoke([principalId])
      await db.principal.update({ where: { principalId }, data: { deletedAt: now } })
      return revoked
    },

    /** Logical, with its scopes, its grants and the principals homed in it. Their users can start again. */
    removeNamespace: async (
      namespaceId: string,
      now: number,
    ): Promise<Revoked & { scopes: number; principals: number }> => {
      await heads.lock(namespaceId)
      const live = { namespaceId, deletedAt: null }
      const homed = await db.principal.findMany({ where: live, select: { principalId: true } })
      const { tokens, grants } = await revoke(homed.map(({ principalId }) => principalId))
      const guests = await removeGrants({ namespaceId })
      await db.goldenQuery.deleteMany({ where: { namespaceId } })
      await db.synonyms.deleteMany({ where: { namespaceId } })
      await db.evaluationRun.deleteMany({ where: { namespaceId } })
      await db.auditExport.deleteMany({ where: { namespaceId } })
      await db.sourceLink.deleteMany({ where: { namespaceId } })
      await db.invitation.deleteMany({ where: { namespaceId } })
      await db.groupRecord.deleteMany({ where: { namespaceId } })
      await db.groupNesting.deleteMany({ where: { namespaceId } })
      const scopes = await db.scope.updateMany({ where: live, data: { deletedAt: now } })
      const principals = await db.principal.updateMany({ where: live, data: { deletedAt: now, userId: null } })
      await db.namespace.update({ where: { id: namespaceId }, data: { deletedAt: now } })
      return { tokens, grants: [...grants, ...guests], scopes: scopes.count, principals: principals.count }
    },
  }
}

export type Provisioner = ReturnType<typeof createProvisioner>

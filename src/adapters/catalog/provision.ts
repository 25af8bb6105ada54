import { genesisHash } from '../../model/audit.ts'
import type { TierName } from '../../model/tiers.ts'
import type { Provisioner } from '../../ports/provisioner.ts'
import { createAccessReader } from './access.ts'
import type { Db } from './db.ts'

/** Serialises whatever creates namespaces and principals, across processes. The number is arbitrary but fixed. */
const provisionLock = 7_201_114

export async function lockProvisioning(db: Db): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${provisionLock}::bigint)`
}

export function createProvisioner(db: Db): Provisioner {
  return {
    hasPrincipals: createAccessReader(db).hasPrincipals,

    ensureNamespace: async ({ id, name, tier, createdAt }) => {
      const existing = await db.namespace.findUnique({ where: { name } })
      if (existing) return { id: existing.id, name, tier: existing.tier as TierName }
      await db.namespace.create({
        data: { id, name, tier, createdAt, registered: true, head: { create: { auditHash: genesisHash } } },
      })
      return { id, name, tier }
    },

    ensurePrincipal: async ({ principalId, groups, ...principal }) => {
      const data = { ...principal, groups: [...groups] }
      await db.principal.upsert({ where: { principalId }, create: { principalId, ...data }, update: data })
    },

    ensureGrant: async (namespaceId, { perms, groups, ...grant }) => {
      const { principalId, scope } = grant
      const existing = await db.grant.findFirst({ where: { namespaceId, principalId, scope } })
      if (existing) return
      await db.grant.create({ data: { ...grant, namespaceId, perms: [...perms], groups: [...groups] } })
    },

    replaceTokens: async (principalId, { restrictions, ...token }) => {
      const replaced = { principalId, name: token.name }
      const old = await db.token.findMany({ where: replaced, select: { hash: true } })
      await db.token.deleteMany({ where: replaced })
      await db.token.create({ data: { ...token, principalId, restriction: { ...restrictions } } })
      return old.map((token) => token.hash)
    },
  }
}

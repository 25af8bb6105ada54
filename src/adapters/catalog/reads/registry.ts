import type { GrantRecord, NamespaceRecord, PrincipalRecord } from '../../../model/registry.ts'
import type { RegistryReader } from '../../../ports/registry.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toKind, toPermissions, toTier } from '../database/words.ts'

export function createRegistryReader(db: Db): RegistryReader {
  const lasting = (now: number) => ({ OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] })
  const ofNamespace = { namespace: { select: { name: true } } }
  return {
    namespacesOf: async (principalId, now) => {
      const rows = await db.namespace.findMany({
        where: {
          deletedAt: null,
          OR: [{ principals: { some: { principalId } } }, { grants: { some: { principalId, ...lasting(now) } } }],
        },
        orderBy: { name: 'asc' },
      })
      return rows.map(toNamespace)
    },

    namespaces: async () => {
      const rows = await db.namespace.findMany({ where: { deletedAt: null }, orderBy: { name: 'asc' } })
      return rows.map(toNamespace)
    },

    namespace: async (id) => {
      const row = await db.namespace.findFirst({ where: { id, deletedAt: null } })
      return row && toNamespace(row)
    },

    grants: async (namespaceId, now) => {
      const rows = await db.grant.findMany({
        where: { namespaceId, ...lasting(now) },
        include: ofNamespace,
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      })
      return rows.map(toGrant)
    },

    grant: async (namespaceId, id, now) => {
      const row = await db.grant.findFirst({ where: { namespaceId, id, ...lasting(now) }, include: ofNamespace })
      return row && toGrant(row)
    },

    principals: async (namespaceId) => {
      const rows = await db.principal.findMany({
        where: { namespaceId, deletedAt: null },
        include: ofNamespace,
        orderBy: [{ createdAt: 'asc' }, { principalId: 'asc' }],
      })
      return rows.map(toPrincipal)
    },

    principal: async (namespaceId, principalId) => {
      const where = { principalId, namespaceId, deletedAt: null }
      const row = await db.principal.findFirst({ where, include: ofNamespace })
      return row && toPrincipal(row)
    },
  }
}

interface NamespaceRow extends Omit<NamespaceRecord, 'tier' | 'createdAt'> {
  tier: string
  createdAt: bigint
}

export const toNamespace = ({ id, name, tier, owner, registered, createdAt }: NamespaceRow): NamespaceRecord => ({
  id,
  name,
  tier: toTier(tier),
  owner,
  registered,
  createdAt: toNumber(createdAt),
})

interface GrantRow extends Omit<GrantRecord, 'namespace' | 'perms' | 'createdAt' | 'expiresAt'> {
  namespace: { name: string }
  perms: string[]
  createdAt: bigint
  expiresAt: bigint | null
}

const toGrant = ({ namespace, perms, createdAt, expiresAt, ...grant }: GrantRow): GrantRecord => ({
  ...grant,
  namespace: namespace.name,
  perms: toPermissions(perms),
  createdAt: toNumber(createdAt),
  expiresAt: expiresAt === null ? null : toNumber(expiresAt),
})

interface PrincipalRow extends Omit<PrincipalRecord, 'namespace' | 'kind' | 'createdAt'> {
  namespace: { name: string }
  kind: string
  createdAt: bigint
}

const toPrincipal = ({ namespace, kind, createdAt, ...principal }: PrincipalRow): PrincipalRecord => ({
  ...principal,
  namespace: namespace.name,
  kind: toKind(kind),
  createdAt: toNumber(createdAt),
})

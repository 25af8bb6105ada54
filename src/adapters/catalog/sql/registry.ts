import type { Listed, PageRange } from '../../../model/page.ts'
import type { GrantRecord, NamespaceRecord, PrincipalRecord, Synonyms } from '../../../model/registry.ts'
import { jsonOf } from '../database/columns.ts'
import { type Db, listed, numbersOf, toNumber } from '../database/db.ts'
import { toHiddenCount, toKind, toPermissions, toTier } from '../database/words.ts'
import type { Namespace as NamespaceRow, Prisma } from '../generated/client.ts'

export const ofNamespace = { namespace: { select: { name: true } } } as const

/**
 * Reads the registries. They leave out deleted namespaces and principals, and grants that have expired at `now`. A list
 * without a range is whole.
 */
export function createRegistryReader(db: Db) {
  const lasting = (now: number) => ({ OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] })
  const namespacesWhere = (condition: Prisma.NamespaceWhereInput, range: PageRange | undefined) => {
    const where = { ...condition, deletedAt: null }
    return listed(
      range,
      (page) => db.namespace.findMany({ where, orderBy: { name: 'asc' }, ...page }),
      () => db.namespace.count({ where }),
      toNamespace,
    )
  }
  return {
    /** The principal's home namespace and the namespaces where it has a grant, by name. */
    namespacesOf: async (principalId: string, now: number, range?: PageRange): Promise<Listed<NamespaceRecord>> => {
      // Two statements: in one, the database tries all existing namespaces.
      const homes = await db.principal.findMany({ where: { principalId }, select: { namespaceId: true } })
      const where = { principalId, ...lasting(now) }
      const granted = await db.grant.findMany({ where, select: { namespaceId: true }, distinct: ['namespaceId'] })
      const ids = [...new Set([...homes, ...granted].map(({ namespaceId }) => namespaceId))]
      return namespacesWhere({ id: { in: ids } }, range)
    },

    /** All namespaces, by name. */
    namespaces: (range?: PageRange): Promise<Listed<NamespaceRecord>> => namespacesWhere({}, range),

    /** Null if it does not exist. */
    namespace: async (id: string): Promise<NamespaceRecord | null> => {
      const row = await db.namespace.findFirst({ where: { id, deletedAt: null } })
      return row && toNamespace(row)
    },

    /** Null if none were set. */
    synonyms: async (namespaceId: string): Promise<Synonyms | null> => {
      const row = await db.synonyms.findUnique({ where: { namespaceId } })
      return row && jsonOf<Synonyms>(row.rules)
    },

    /** Oldest first. */
    grants: (namespaceId: string, now: number, range?: PageRange): Promise<Listed<GrantRecord>> => {
      const where = { namespaceId, ...lasting(now) }
      return listed(
        range,
        (page) =>
          db.grant.findMany({ where, include: ofNamespace, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], ...page }),
        () => db.grant.count({ where }),
        toGrant,
      )
    },

    grant: async (namespaceId: string, id: string, now: number): Promise<GrantRecord | null> => {
      const row = await db.grant.findFirst({ where: { namespaceId, id, ...lasting(now) }, include: ofNamespace })
      return row && toGrant(row)
    },

    /** Principals homed in the namespace, oldest first. */
    principals: (namespaceId: string, range?: PageRange): Promise<Listed<PrincipalRecord>> => {
      const where = { namespaceId, deletedAt: null }
      const orderBy = [{ createdAt: 'asc' as const }, { principalId: 'asc' as const }]
      return listed(
        range,
        (page) => db.principal.findMany({ where, include: ofNamespace, orderBy, ...page }),
        () => db.principal.count({ where }),
        toPrincipal,
      )
    },

    /** Names of principals that are or were homed in the namespace, or have a grant there. Others, and those without, are missing. */
    names: async (namespaceId: string, principalIds: readonly string[]): Promise<Map<string, string>> => {
      const known = { OR: [{ namespaceId }, { grants: { some: { namespaceId } } }], name: { not: null } }
      const where = { principalId: { in: [...principalIds] }, ...known }
      const rows = await db.principal.findMany({ where, select: { principalId: true, name: true } })
      return new Map(rows.map(({ principalId, name }) => [principalId, name ?? '']))
    },

    /** Null if it is unknown or homed elsewhere. */
    principal: async (namespaceId: string, principalId: string): Promise<PrincipalRecord | null> => {
      const where = { principalId, namespaceId, deletedAt: null }
      const row = await db.principal.findFirst({ where, include: ofNamespace })
      return row && toPrincipal(row)
    },
  }
}

export const toNamespace = ({
  baseTier: _,
  deletedAt: __,
  tier,
  hiddenCount,
  ...row
}: NamespaceRow): NamespaceRecord => ({
  ...numbersOf(row),
  tier: toTier(tier),
  hiddenCount: toHiddenCount(hiddenCount),
})

type GrantRow = Prisma.GrantGetPayload<{ include: typeof ofNamespace }>

const toGrant = ({ namespace, perms, ...grant }: GrantRow): GrantRecord => ({
  ...numbersOf(grant),
  namespace: namespace.name,
  perms: toPermissions(perms),
})

type PrincipalRow = Prisma.PrincipalGetPayload<{ include: typeof ofNamespace }>

const toPrincipal = ({ namespace, kind, createdAt, ...row }: PrincipalRow): PrincipalRecord => ({
  principalId: row.principalId,
  name: row.name,
  email: row.email,
  groups: row.groups,
  inheritedGroups: row.inheritedGroups,
  readOnly: row.readOnly,
  activeScope: row.activeScope,
  namespace: namespace.name,
  kind: toKind(kind),
  createdAt: toNumber(createdAt),
})

export type RegistryReader = ReturnType<typeof createRegistryReader>

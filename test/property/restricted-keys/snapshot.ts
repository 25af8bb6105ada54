import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { toNumber } from '../../../src/adapters/catalog/database/db.ts'
import { toRestrictions } from '../../../src/adapters/catalog/database/words.ts'
import { seedPrincipals } from '../../../src/domain/seed/principals.ts'
import type { Plane } from '../../../src/model/unit.ts'
import type { ApiKey } from '../../../src/ports/catalog.ts'
import type { TestApp } from '../../support/boot.ts'
import { superAdminIn, type World } from './world.ts'

export interface SeenUnit {
  unitId: string
  text: string | null
  scope: string
  plane: Plane
  aclOwner: string
  aclGroups: string[]
}
interface SeenScope {
  scope: string
  readOnlyAgents: boolean
}
export interface SeenGrant {
  id: string
  scope: string
  perms: string[]
  groups: string[]
  expiresAt: number | null
}
interface SeenInvitation extends SeenGrant {
  revokedAt: number | null
  acceptedAt: number | null
}
export interface SeenDocument {
  documentId: string
  name: string
  scope: string
  writer: string
}
interface SeenNamespace {
  namespace: string
  hiddenCount: string
}
interface SeenPrincipal {
  principalId: string
  groups: string[]
}

/** The whole state of a world, without any restrictions. */
export interface Snapshot {
  units: Map<string, SeenUnit>
  documents: Map<string, SeenDocument>
  scopes: Map<string, SeenScope>
  grants: Map<string, SeenGrant>
  invitations: Map<string, SeenInvitation>
  principals: Map<string, SeenPrincipal>
  /** Tokens of the world's principals and of the seeded principals. */
  tokens: Map<string, ApiKey & { principalId: string }>
  namespaces: Map<string, SeenNamespace>
  /** Golden queries and runs. */
  evaluation: Map<string, { id: string; expectedAnswers?: string[] }>
}

/** Of every list, the field with its items, and what is read of them. */
const pages = {
  units: [
    'units',
    'unitId externalId text scope plane modality mime aclOwner aclGroups metadata docId sourceUri version',
  ],
  scopes: ['scopes', 'scope planes readOnlyAgents parent'],
  grants: ['grants', 'id principalId scope perms groups expiresAt'],
  invitations: ['invitations', 'id scope perms groups expiresAt acceptedAt revokedAt'],
  principals: ['principals', 'principalId groups kind readOnly activeScope'],
  namespaces: ['namespaces', 'namespace owner tier registered hiddenCount'],
  goldenQueries: ['queries', 'id q scope expectedUnitIds expectedAnswers'],
  evaluationRuns: ['runs', 'id asked finishedAt publishedAt'],
} as const
type List = keyof typeof pages
const lists = Object.keys(pages) as List[]

const query = `query ($cursor: SafeInt) {
  ${lists.map((list) => `${list}(cursor: $cursor) { nextCursor ${pages[list][0]} { ${pages[list][1]} } }`).join('\n')}
}`

/** All pages of every list. Of a deleted namespace there are none. */
async function readLists({ app, namespace }: World): Promise<Record<List, unknown[]>> {
  const whole = Object.fromEntries(lists.map((list) => [list, [] as unknown[]])) as Record<List, unknown[]>
  for (let cursor: number | null = 0; cursor !== null; ) {
    const { body } = await app.graphql(query, { cursor }, superAdminIn(namespace))
    if (body.errors) return whole
    for (const list of lists) whole[list].push(...body.data[list][pages[list][0]])
    cursor = lists.map((list) => body.data[list].nextCursor).find((next) => next !== null) ?? null
  }
  return whole
}

const byKey = <T>(list: readonly T[], keyOf: (one: T) => string) => new Map(list.map((one) => [keyOf(one), one]))

/** What was sent and what is found of each document, of all writers. */
async function readDocuments({ app, namespace }: World): Promise<SeenDocument[]> {
  const { client } = app.runtime.bindings.catalog as PrismaCatalog
  const rows = await client.ingestedDocument.findMany({
    where: { namespace: { name: namespace, deletedAt: null }, scope: { deletedAt: null } },
    select: {
      ...{ documentId: true, docId: true, name: true, writer: true, status: true, sourceUri: true },
      ...{ foundSourceUri: true, aclGroups: true, metadata: true, scope: { select: { path: true } } },
    },
    orderBy: { documentId: 'asc' },
  })
  return rows.map(({ scope, ...row }) => ({ ...row, scope: scope.path }))
}

/** As the catalog lists them, of all holders at once, without when they were used. */
async function readTokens({ runtime }: TestApp, holders: string[]): Promise<Snapshot['tokens']> {
  const { client } = runtime.bindings.catalog as PrismaCatalog
  const rows = await client.token.findMany({ where: { principalId: { in: holders } }, omit: { hash: true } })
  return byKey(
    rows.map(({ restriction, createdAt, expiresAt, ...key }) => ({
      ...key,
      createdAt: toNumber(createdAt),
      expiresAt: expiresAt === null ? null : toNumber(expiresAt),
      lastUsedAt: null,
      restrictions: toRestrictions(restriction),
    })),
    ({ id }) => id,
  )
}

export async function takeSnapshot(world: World): Promise<Snapshot> {
  const { app, seeder } = world
  // Of a deleted namespace, only the tokens of the others are left.
  const { units, scopes, grants, invitations, principals, namespaces, ...evaluation } = await readLists(world)
  const holders = [...(principals as SeenPrincipal[]), ...seedPrincipals].map(({ principalId }) => principalId)
  return {
    units: byKey(units as SeenUnit[], (u) => u.unitId),
    documents: byKey(await readDocuments(world), (d) => d.documentId),
    scopes: byKey(scopes as SeenScope[], (s) => s.scope),
    grants: byKey(grants as SeenGrant[], (g) => g.id),
    invitations: byKey(invitations as SeenInvitation[], (i) => i.id),
    principals: byKey(principals as SeenPrincipal[], (p) => p.principalId),
    tokens: await readTokens(app, [...holders, seeder.id]),
    namespaces: byKey(namespaces as SeenNamespace[], (n) => n.namespace),
    evaluation: byKey([...evaluation.goldenQueries, ...evaluation.evaluationRuns] as { id: string }[], (one) => one.id),
  }
}

import { seedPrincipals } from '../../../src/domain/seed/principals.ts'
import type { Plane } from '../../../src/model/unit.ts'
import type { ApiKey } from '../../../src/ports/tokens.ts'
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
interface SeenGrant {
  id: string
  scope: string
  perms: string[]
  groups: string[]
  expiresAt: number | null
}
interface SeenPrincipal {
  principalId: string
  groups: string[]
}

/** The whole state of a world, without any restrictions. */
export interface Snapshot {
  units: Map<string, SeenUnit>
  scopes: Map<string, SeenScope>
  grants: Map<string, SeenGrant>
  principals: Map<string, SeenPrincipal>
  /** Tokens of the world's principals and of the seeded principals. */
  tokens: Map<string, ApiKey & { principalId: string }>
  namespaces: Map<string, { namespace: string }>
  /** Golden queries and runs. */
  evaluation: Map<string, { id: string; expectedAnswers?: string[] }>
}

const query = `{
  units(limit: 100) { units { unitId externalId text scope plane modality mime aclOwner aclGroups metadata docId sourceUri version } }
  scopes { scope planes readOnlyAgents parent }
  grants { id principalId scope perms groups expiresAt }
  principals { principalId groups kind readOnly activeScope }
  namespaces { namespace owner tier registered }
  goldenQueries { queries { id q scope expectedUnitIds expectedAnswers } }
  evaluationRuns { id asked finishedAt publishedAt }
}`

const byKey = <T>(list: readonly T[], keyOf: (one: T) => string) => new Map(list.map((one) => [keyOf(one), one]))

export async function takeSnapshot({ app, namespace, seeder }: World): Promise<Snapshot> {
  const { body } = await app.graphql(query, {}, superAdminIn(namespace))
  // Of a deleted namespace, only the tokens of the others are left.
  const { units, scopes, grants, principals, namespaces, goldenQueries, evaluationRuns } = body.errors
    ? { ...nothing, units: { units: [] }, goldenQueries: { queries: [] } }
    : body.data
  const { tokens } = app.runtime.bindings.catalog
  const holders = [...principals, ...seedPrincipals].map(({ principalId }: SeenPrincipal) => principalId)
  const held: (ApiKey & { principalId: string })[] = []
  for (const principalId of [...holders, seeder.id]) {
    for (const { lastUsedAt: _, ...key } of await tokens.list(principalId)) {
      held.push({ ...key, lastUsedAt: null, principalId })
    }
  }
  return {
    units: byKey(units.units as SeenUnit[], (u) => u.unitId),
    scopes: byKey(scopes as SeenScope[], (s) => s.scope),
    grants: byKey(grants as SeenGrant[], (g) => g.id),
    principals: byKey(principals as SeenPrincipal[], (p) => p.principalId),
    tokens: byKey(held, (key) => key.id),
    namespaces: byKey(namespaces as { namespace: string }[], (n) => n.namespace),
    evaluation: byKey([...goldenQueries.queries, ...evaluationRuns] as { id: string }[], (one) => one.id),
  }
}

const nothing = { scopes: [], grants: [], principals: [], namespaces: [], evaluationRuns: [] }

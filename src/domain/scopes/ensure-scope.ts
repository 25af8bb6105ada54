import type { Scope } from '../../model/registry.ts'
import { nearestAncestor } from '../../model/scope-path.ts'
import { planes } from '../../model/unit.ts'
import type { NamespaceWriter } from '../../ports/catalog.ts'
import type { Random } from '../../ports/clock.ts'

export const byPath = (scopes: readonly Scope[]) => new Map(scopes.map((scope) => [scope.scope, scope]))

/** The registered scope of this path, registered now if missing. `scopes`, the current ones by path, is updated. */
export async function ensureScope(
  tx: NamespaceWriter,
  scopes: Map<string, Scope>,
  path: string,
  random: Random,
  now: number,
): Promise<Scope> {
  const existing = scopes.get(path)
  if (existing) return existing
  const scope: Scope = {
    id: random.id('scope'),
    scope: path,
    namespace: tx.namespace.name,
    parent: nearestAncestor(path, scopes.keys()),
    planes,
    readOnlyAgents: false,
    createdAt: now,
  }
  await tx.scopes.insert(scope)
  scopes.set(path, scope)
  return scope
}

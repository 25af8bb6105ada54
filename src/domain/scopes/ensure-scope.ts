import type { Scope } from '../../model/registry.ts'
import { nearestAncestor } from '../../model/scope-path.ts'
import { planes } from '../../model/unit.ts'
import type { NamespaceWriter } from '../../ports/catalog.ts'
import type { Random } from '../../ports/clock.ts'

/** The registered scope of this path, registered now if need be; `scopes` is the current list and grows with it. */
export async function ensureScope(
  tx: NamespaceWriter,
  scopes: Scope[],
  path: string,
  random: Random,
  now: number,
): Promise<Scope> {
  const existing = scopes.find((s) => s.scope === path)
  if (existing) return existing
  const scope: Scope = {
    id: random.id('scope'),
    scope: path,
    namespace: tx.namespace.name,
    parent: nearestAncestor(
      path,
      scopes.map((s) => s.scope),
    ),
    planes,
    readOnlyAgents: false,
    createdAt: now,
  }
  await tx.scopes.insert(scope)
  scopes.push(scope)
  return scope
}

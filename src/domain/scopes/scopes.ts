import { badRequest, InvalidInputError, noSuchScope } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { PageRange } from '../../model/page.ts'
import type { Scope } from '../../model/registry.ts'
import { covers, nearestAncestor } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { planes } from '../../model/unit.ts'
import type { NamespaceWriter } from '../../ports/catalog.ts'
import type { Random } from '../../ports/clock.ts'
import { admit, requirePermission } from '../access/gate.ts'
import { bounds } from '../access/visibility.ts'
import type { BackgroundTask, BackgroundWork } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { type Page, pageWithin } from '../input/page.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import type { ScopeChanges } from './scope-input.ts'

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

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & { background: BackgroundWork; turns: Turns }

/** The registered scopes that the caller may see, by path. */
const listScopes = (session: Session, range?: PageRange): Page<Scope> => pageWithin(session.visibleScopes, range)

/** A scope that the caller may not see gives the same error as one that does not exist. */
function getScope(session: Session, path: string): Scope {
  const scope = session.visibleScopes.find((s) => s.scope === path)
  if (!scope) throw noSuchScope()
  return scope
}

/**
 * Registers a scope and grants its creator everything on it, as far as the calling key allows. Creating a scope below
 * one that others already use needs `admin`. Errors: 400 for one that exists, 403.
 */
async function createScope(deps: Deps, session: Session, path: string): Promise<Scope> {
  admit(session, 'createScope', { scope: path })
  return deps.catalog.transact(session.namespace.id, async (tx) => {
    const now = deps.clock.now()
    const scopes = byPath(await tx.scopes.list())
    const inUseBelow =
      [...scopes.keys()].some((other) => other !== path && covers(path, other)) ||
      (await tx.scopes.hasGrantBelow(path, now))
    if (inUseBelow) requirePermission(session, 'admin', path)
    if (scopes.has(path)) throw badRequest('scope: must not exist yet')
    const scope = await ensureScope(tx, scopes, path, deps.random, now)
    if (!session.facts.caller.superAdmin) {
      await tx.insertGrant({
        id: deps.random.id('grant'),
        principalId: session.principalId,
        scope: path,
        perms: bounds.perms(session),
        groups: [],
        grantedBy: session.principalId,
        createdAt: now,
        expiresAt: bounds.expiresAt(session),
      })
    }
    await tx.audit(auditEntry(session, now, 'scope.create', path, {}))
    return scope
  })
}

/** Removes the scope, its subtree and their grants. Their Units are hidden at once, and removed in the background. */
async function deleteScope(deps: Deps, session: Session, path: string) {
  admit(session, 'deleteScope', { scope: path })
  const removed = await deps.catalog.transact(session.namespace.id, async (tx) => {
    const scopes = await tx.scopes.list()
    if (!scopes.some((s) => s.scope === path)) throw noSuchScope()
    // The scopes that are read-only for agents may have changed since.
    admit(session.with({ scopes }), 'deleteScope', { scope: path })
    const now = deps.clock.now()
    const counts = await tx.scopes.remove(path, now)
    await tx.audit(auditEntry(session, now, 'scope.delete', path, counts))
    return counts
  })
  deps.background.kick()
  return { deleted: true, ...removed }
}

/**
 * Changes a scope's settings; omitted fields stay as they are. Changes apply from the next request: closed planes
 * accept no Units and are not searched, but their Units are still listed. Needs `admin` on the scope. Errors: 400 for a
 * parent that is not above it, 403, 404 for a scope that the caller may not see.
 */
async function updateScope(deps: Deps, session: Session, path: string, changes: ScopeChanges): Promise<Scope> {
  const { id } = getScope(session, path)
  admit(session, 'updateScope', { scope: path })
  return deps.catalog.transact(session.namespace.id, async (tx) => {
    const scopes = await tx.scopes.list()
    const scope = scopes.find((s) => s.id === id)
    if (!scope) throw noSuchScope()
    const { parent = scope.parent } = changes
    if (changes.parent) requireAncestor(session, scopes, scope, changes.parent)
    const updated: Scope = {
      ...scope,
      parent,
      planes: planes.filter((plane) => (changes.planes ?? scope.planes).includes(plane)),
      readOnlyAgents: changes.readOnlyAgents ?? scope.readOnlyAgents,
    }
    await tx.scopes.update(updated)
    await tx.audit(
      auditEntry(session, deps.clock.now(), 'scope.update', path, {
        parent: updated.parent,
        planes: updated.planes.join(','),
        read_only_agents: updated.readOnlyAgents,
      }),
    )
    return updated
  })
}

/** Any parent except the current one must be visible to the caller, or the response would reveal what exists. */
function requireAncestor(session: Session, scopes: readonly Scope[], scope: Scope, parent: string): void {
  const known = parent === scope.parent || session.mayAny(parent)
  const isAbove = parent !== scope.scope && covers(parent, scope.scope)
  if (known && isAbove && scopes.some((s) => s.scope === parent)) return
  throw new InvalidInputError(['parent'], 'must be a registered scope above it')
}

type TaskDeps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'telemetry'> & { indexer: Indexer }

const batchSize = 500

/** Purges the Units of deleted scopes, and of deleted namespaces: nobody can restore them. Then their documents go. */
export function eraseScopes({ catalog, clock, random, indexer }: TaskDeps): BackgroundTask {
  const eraseBatch = async (tx: NamespaceWriter) => {
    const now = clock.now()
    const unitIds = await tx.scopes.unerasedUnits(batchSize, now)
    if (unitIds.length === 0) return 0
    await tx.units.purge(unitIds, now)
    await tx.audit(
      auditEntry({ principalId: 'system', requestId: random.id('sweep') }, now, 'scope.sweep', null, {
        ...{ units: unitIds.length, seq: tx.seq() },
        purged: true,
      }),
    )
    return unitIds.length
  }
  return {
    name: 'erase deleted scopes',
    run: async (stopping) => {
      for (const namespaceId of await catalog.changes.unerasedScopes()) {
        while (!stopping.aborted && (await catalog.transact(namespaceId, eraseBatch, { orDeleted: true })) > 0)
          indexer.notify(namespaceId)
      }
      return 0
    },
  }
}

/** Tombstones the Units left in deleted scopes, including those of deleted namespaces, in short transactions. */
export function sweepScopes({ catalog, clock, random, telemetry, indexer }: TaskDeps): BackgroundTask {
  const sweepBatch = async (tx: NamespaceWriter) => {
    const now = clock.now()
    const unitIds = await tx.scopes.unsweptUnits(batchSize, now)
    if (unitIds.length === 0) return
    await tx.units.tombstone(unitIds, now)
    await tx.audit(
      auditEntry({ principalId: 'system', requestId: random.id('sweep') }, now, 'scope.sweep', null, {
        units: unitIds.length,
        seq: tx.seq(),
      }),
    )
  }
  return {
    name: 'sweep scopes',
    run: async () => {
      const namespaces = await catalog.changes.unswept()
      telemetry.queued('sweep', namespaces.length)
      for (const namespaceId of namespaces) {
        await catalog.transact(namespaceId, sweepBatch, { orDeleted: true })
        indexer.notify(namespaceId)
      }
      return namespaces.length
    },
  }
}

export const createScopes = (deps: Deps) => (session: Session) => ({
  // Without a range it may be long.
  list: async (range?: PageRange) =>
    range === undefined
      ? deps.turns.answering(session, heavy, async () => listScopes(session))
      : listScopes(session, range),
  get: (path: string) => getScope(session, path),
  create: (path: string) => createScope(deps, session, path),
  update: (path: string, changes: ScopeChanges) => updateScope(deps, session, path, changes),
  delete: (path: string) => deleteScope(deps, session, path),
})

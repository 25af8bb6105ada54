import { InvalidInputError, noSuchWritableUnit } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { Session } from '../../model/session.ts'
import type { NamespaceWriter, StoredUnit } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import { changedAcl, requireKept } from '../access/visibility.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { reachOf } from './delete-units.ts'
import { checkDocuments, requireEnabled, requirePlane, withinCap } from './limits.ts'
import { maxRestored, type UnitChanges } from './unit-input.ts'
import { rehash } from './write-batch.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { indexer: Indexer; ingestWaitMs: number }

/**
 * Changes the ACL, metadata and title of a Unit; omitted fields stay as they are. Nothing is embedded again. The caller may
 * update the same Units that it may delete; the ACL is changed by the owner or an admin principal. Errors: 400 for a
 * `version` that is no longer current, 403, 404.
 */
export async function updateUnit(deps: Deps, session: Session, unitId: string, changes: UnitChanges) {
  admit(session, 'updateUnit')
  const namespaceId = session.namespace.id
  const { seq, embedPending } = await deps.catalog.transact(namespaceId, (tx) =>
    write(deps, session, tx, unitId, changes),
  )
  const applied = await deps.indexer.waitFor(namespaceId, seq, deps.ingestWaitMs)
  const unit = await deps.catalog.units.get({ namespaceId, ...reachOf(session) }, unitId)
  return { unit, seq, indexed: applied && !embedPending }
}

async function write(
  { clock }: Deps,
  session: Session,
  tx: NamespaceWriter,
  unitId: string,
  { version, ...fields }: UnitChanges,
) {
  const [unit] = await tx.units.read({ ...reachOf(session), states: ['live'], ids: [unitId] }, 1)
  if (!unit) throw noSuchWritableUnit()
  if (version !== undefined && version !== unit.seq)
    throw new InvalidInputError(['version'], 'must be the current version: the Unit has changed; read it again')
  const acl = changedAcl(session, unit.acl, fields)
  const { scope = '*' } = session.facts.scopes.find(({ id }) => id === unit.scopeId) ?? {}
  requireKept(session, scope, { plane: unit.plane, acl })
  const metadata = fields.metadata ?? unit.metadata
  const title = fields.title === undefined ? unit.title : fields.title || null
  const contentHash = rehash(unit.contentHash, { acl, metadata, title })
  const now = clock.now()
  await tx.units.update([{ unitId, acl, metadata, title, contentHash }], now)
  await tx.audit(
    auditEntry(session, now, 'units.update', unitId, {
      acl_owner: fields.aclOwner !== undefined,
      acl_groups: fields.aclGroups !== undefined,
      metadata: fields.metadata !== undefined,
      ...(fields.title !== undefined && { title: true }),
      seq: tx.seq(),
    }),
  )
  return { seq: tx.seq(), embedPending: unit.embedPending }
}

/**
 * Restores soft-deleted Units as they were: readable ones in writable scopes. Unknown, hidden and purged ids, and those
 * whose scope was deleted, are not counted. Errors: 400 if another Unit has taken the external id or the scope has
 * closed the plane, 403 without `write`, 402 above the limits of the tier.
 */
export async function restoreUnits(deps: Deps, session: Session, ids: readonly string[]) {
  admit(session, 'restoreUnits')
  const namespaceId = session.namespace.id
  const { embedPending, ...written } = await deps.catalog.transact(namespaceId, (tx) => restore(deps, session, tx, ids))
  const applied = await deps.indexer.waitFor(namespaceId, written.seq, deps.ingestWaitMs)
  return { ...written, indexed: applied && !embedPending }
}

async function restore({ clock }: Deps, session: Session, tx: NamespaceWriter, ids: readonly string[]) {
  const reached = await tx.units.read({ ...reachOf(session), states: ['live', 'tombstoned'], ids }, maxRestored)
  const deleted = reached.filter((unit) => unit.state === 'tombstoned')
  for (const { plane } of deleted) requirePlane(session, plane)
  const units = await withoutReplaced(session, tx, ids, deleted)
  await requireEnabledPlanes(tx, ids, units)
  refuseDuplicates(ids, units)

  const now = clock.now()
  const unitIds = units.map((unit) => unit.unitId)
  const writers = new Set(units.map((unit) => unit.writer))
  const held = await withinCap(tx, unitIds.length, () => tx.units.restore(unitIds, now))
  await checkDocuments(tx, held, writers, ['ids'])
  const detail = { units: units.length, seq: tx.seq() }
  await tx.audit(auditEntry(session, now, 'units.restore', session.requestedScope, detail))
  return {
    matched: reached.length - deleted.length + units.length,
    restored: units.length,
    seq: tx.seq(),
    embedPending: units.some((unit) => unit.embedPending),
  }
}

/** If the Unit that took the external id is hidden, an error would reveal it: then the deleted one is not counted. */
async function withoutReplaced(
  session: Session,
  tx: NamespaceWriter,
  ids: readonly string[],
  units: readonly StoredUnit[],
): Promise<StoredUnit[]> {
  const replaced = await tx.units.replaced(
    units.map((unit) => unit.unitId),
    reachOf(session),
  )
  const [seen] = replaced.filter((unit) => unit.readable)
  if (seen)
    throw new InvalidInputError(
      ['ids', ids.indexOf(seen.unitId)],
      'cannot be restored: another Unit has its external_id now; delete that one first',
    )
  return units.filter(({ unitId }) => !replaced.some((unit) => unit.unitId === unitId))
}

async function requireEnabledPlanes(tx: NamespaceWriter, ids: readonly string[], units: readonly StoredUnit[]) {
  const scopes = new Map((await tx.scopes.list()).map((scope) => [scope.id, scope]))
  for (const { unitId, scopeId, plane } of units) {
    requireEnabled(scopes.get(scopeId), plane, ['ids', ids.indexOf(unitId)])
  }
}

/** A writer may have deleted and ingested the same external id more than once. */
function refuseDuplicates(ids: readonly string[], units: readonly StoredUnit[]): void {
  const seen = new Set<string>()
  for (const { unitId, scopeId, writer, externalId } of units) {
    if (externalId === null) continue
    const key = JSON.stringify([scopeId, writer, externalId])
    if (seen.has(key))
      throw new InvalidInputError(
        ['ids', ids.indexOf(unitId)],
        'another of these Units has its external_id: restore only one of them',
      )
    seen.add(key)
  }
}

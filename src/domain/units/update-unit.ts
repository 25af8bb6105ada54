import { InvalidInputError, noSuchUnit } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Session } from '../../model/session.ts'
import type { Unit } from '../../model/unit.ts'
import type { NamespaceWriter } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { changedAcl, requireKept } from './change-acl.ts'
import { reachOf } from './delete-units.ts'
import type { UnitChanges } from './unit-input.ts'
import { rehash } from './write-batch.ts'

export interface UpdateResult {
  /** The current Unit; null when the change hid it from the caller. */
  unit: Unit | null
  seq: number
  /** False when indexing did not catch up within the configured wait; the write is durable anyway. */
  indexed: boolean
}

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { indexer: Indexer; ingestWaitMs: number }

/**
 * Changes the ACL, metadata and title of a Unit; omitted fields stay as they are. Nothing is embedded again. The caller may
 * update the same Units that it may delete; the ACL is changed by the owner or an admin principal. Errors: 400 for a
 * `version` that is no longer current, 403, 404.
 */
export async function updateUnit(
  deps: Deps,
  session: Session,
  unitId: string,
  changes: UnitChanges,
): Promise<UpdateResult> {
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
  if (!unit) throw noSuchUnit()
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

import { createHash } from 'node:crypto'
import { auditEntry } from '../../../model/audit-entry.ts'
import type { DocumentRecord, FoundVersion } from '../../../model/document.ts'
import type { Session } from '../../../model/session.ts'
import type { DocumentUnit, HeldRun } from '../../../ports/catalog/documents.ts'
import type { NamespaceWriter, UnitRow } from '../../../ports/catalog/namespace-writer.ts'
import type { Bindings } from '../../bindings/bindings.ts'
import { mayChangeAcl } from '../../units/change-acl.ts'
import type { EmbeddedUnit } from '../../units/embed-units.ts'
import { type IdentifiedUnit, identify } from '../../units/known-units.ts'
import { checkDocuments, withinCap } from '../../units/limits.ts'
import { namedByWriter } from '../../units/named-sources.ts'
import { fixDims, registerScopes, toRow } from '../../units/write-batch.ts'
import { requireReached } from '../content/change-in-place.ts'
import { purgeUnits } from '../content/erase-documents.ts'
import { replaceAttachments, type StoredAttachment } from './attachments.ts'

type Deps = Pick<Bindings, 'clock' | 'random'>

export interface NewVersion {
  run: HeldRun
  document: DocumentRecord
  units: readonly EmbeddedUnit[]
  attachments: readonly StoredAttachment[]
  mime: string
  asGiven: boolean
  /** When models that have failed are called again; null where all text is there. */
  textDueAt: number | null
}

/**
 * Puts the Units of a new version in place of the old ones, which are hard-deleted with their source. A Unit whose text
 * stays keeps its id. Returns the namespace's seq after it, or null when something else was sent or it was deleted meanwhile.
 */
export async function replaceUnits(
  deps: Deps,
  session: Session,
  tx: NamespaceWriter,
  { run, document, units, attachments, mime, asGiven, textDueAt }: NewVersion,
): Promise<number | null> {
  if (!(await tx.ingested.held(run))) return null
  const { documentId, writer } = document
  const now = deps.clock.now()
  const old = await tx.ingested.units(documentId)
  // Text that follows brings nothing back that was deleted meanwhile.
  if (document.status === 'ready' && (old.length === 0 || old.some(({ state }) => state !== 'live'))) return null
  requireReached(session, old)
  const scopes = await registerScopes(deps, tx, units, now)
  await fixDims(tx, units)
  const placed = units.map((unit) => ({ ...unit, scopeId: scopes.get(unit.scope)?.id ?? '' }))
  const matched = withKept(session, await identify(session, tx, placed), old)
  const named = await namedByWriter(session, tx, matched)
  const rows = matched.map((unit, index): UnitRow => {
    const unitId = unit.known?.unitId ?? deps.random.id('unit')
    return { ...toRow(session, unit, index), sourceByWriter: named(unit), unitId, isNew: !unit.known, documentId }
  })
  const changed = rows.filter((row, i) => matched[i]?.known?.contentHash !== row.contentHash)
  const stays = new Set(rows.map(({ unitId }) => unitId))
  const gone = old.filter(({ unitId }) => !stays.has(unitId)).map(({ unitId }) => unitId)

  let sources = 0
  const held = await withinCap(tx, changed.length, async () => {
    const counts = await tx.units.put(changed, now)
    await tx.ingested.take(
      documentId,
      rows.flatMap(({ unitId, isNew }) => (isNew ? [] : unitId)),
    )
    sources += await purgeUnits(tx, gone, now)
    return counts
  })
  await checkDocuments(tx, held, new Set(changed.map((row) => row.writer)), ['units'])
  await tx.ingested.setFound(documentId, foundVersion(document, mime, asGiven, now), textDueAt)
  sources += await replaceAttachments(deps, session, tx, document, attachments, now)
  const former = document.found?.sourceUri ?? document.sourceUri
  if (former !== document.sourceUri) sources += (await tx.ingested.purgeSources([former], writer, now)).length
  const counts = { units: rows.length, written: changed.length, purged: gone.length, attachments: attachments.length }
  await tx.audit(auditEntry(session, now, 'document.write', documentId, { ...counts, sources, seq: tx.seq() }))
  return tx.seq()
}

const foundVersion = (document: DocumentRecord, mime: string, asGiven: boolean, at: number): FoundVersion => {
  const { name, sourceUri, bytes, sha256, sidecar, aclGroups, metadata } = document
  return { name, sourceUri, mime, bytes, sha256, sidecar, aclGroups, metadata, asGiven, at }
}

/**
 * Finds for each Unit without an identity of its own an old one with the same text in the same place. It keeps its owner,
 * and another owner's readers.
 */
function withKept(session: Session, units: readonly IdentifiedUnit[], old: readonly DocumentUnit[]): IdentifiedUnit[] {
  const taken = new Set(units.flatMap(({ known }) => known?.unitId ?? []))
  const free = Map.groupBy(
    old.filter(({ state, externalId, unitId }) => state === 'live' && externalId === null && !taken.has(unitId)),
    ({ scopeId, plane, modality, textHash }) => JSON.stringify([scopeId, plane, modality, textHash]),
  )
  return units.map((unit) => {
    if (unit.known || unit.externalId !== null) return unit
    const { scopeId, plane, modality, text } = unit
    const textHash = text === undefined ? null : createHash('sha256').update(text).digest('hex')
    const known = free.get(JSON.stringify([scopeId, plane, modality, textHash]))?.shift()
    if (!known) return unit
    const { owner, groups } = known.acl
    return { ...unit, known, aclOwner: owner, ...(!mayChangeAcl(session, known.acl) && { aclGroups: [...groups] }) }
  })
}

import { createHash, webcrypto } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { auditEntry } from '../../model/audit.ts'
import type { DocumentRecord, FoundVersion } from '../../model/document.ts'
import { parseLimits } from '../../model/parse-limits.ts'
import type { Session } from '../../model/session.ts'
import type { DocumentUnit, HeldRun, NamespaceWriter, UnitRow } from '../../ports/catalog.ts'
import type { Attachment, Member } from '../../ports/parser.ts'
import { mayChangeAcl } from '../access/visibility.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { sourceKey } from '../sources/purge-sources.ts'
import { type IdentifiedUnit, identify, namedByWriter } from '../units/known-units.ts'
import { checkDocuments, withinCap } from '../units/limits.ts'
import type { EmbeddedUnit } from '../units/place-units.ts'
import { fixDims, registerScopes, toRow } from '../units/write-batch.ts'
import {
  changedAt,
  docIdFor,
  eraseDocuments,
  followParent,
  inheritedMetadata,
  purgeUnits,
  requireReached,
} from './versions.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'inference' | 'objects' | 'random'>

interface NewVersion {
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
  await fixDims(deps, tx, units)
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

/** An attachment with its id as a document. `source` is null where the document has the same bytes already. */
interface StoredAttachment {
  name: string
  docId: string
  bytes: number
  sha256: string
  /** What its document has as sidecar. */
  alternative: string | null
  source: { id: string; uri: string } | null
}

/** Stores the bytes of new and changed attachments. Until `replaceAttachments`, nothing names them. */
export async function storeAttachments(
  { catalog, objects, random }: Deps,
  parent: DocumentRecord,
  attachments: readonly (Attachment | Member)[],
): Promise<StoredAttachment[]> {
  const { namespaceId } = parent
  const known = await catalog.documents.children(namespaceId, parent.documentId)
  const versions = new Map(known.map((child) => [child.docId, child]))
  const stored: StoredAttachment[] = []
  const names = new Map<string, number>()
  for (const attachment of attachments) {
    const bytes = 'path' in attachment ? await readFile(attachment.path) : attachment.bytes
    const alternative = 'path' in attachment ? null : (attachment.alternative ?? null)
    const name = distinct(attachment.name, names)
    const docId = docIdFor(`${parent.docId}#${name}`)
    const digest = await webcrypto.subtle.digest('SHA-256', Uint8Array.from(bytes))
    const sha256 = Buffer.from(digest).toString('hex')
    const before = versions.get(docId)
    const isSame = before?.sha256 === sha256 && before.sidecar === alternative
    const id = isSame ? null : random.id('source')
    if (id !== null) await objects.put(sourceKey(namespaceId, id), bytes)
    stored.push({
      name,
      docId,
      bytes: bytes.length,
      sha256,
      alternative,
      source: id === null ? null : { id, uri: `source://${id}` },
    })
  }
  return stored
}

/** Removes the bytes of attachments that came to nothing. */
export async function discardAttachments(
  { objects }: Pick<Bindings, 'objects'>,
  namespaceId: string,
  attachments: readonly StoredAttachment[],
): Promise<void> {
  for (const { source } of attachments) if (source) await objects.delete(sourceKey(namespaceId, source.id))
}

/** Several attachments of a file may have the same name: `plan.png`, `plan.png (2)`. */
function distinct(name: string, names: Map<string, number>): string {
  const count = (names.get(name) ?? 0) + 1
  names.set(name, count)
  return count === 1 ? name : `${name} (${count})`
}

/**
 * Makes the attachments of a new version the documents inside of it: new and changed ones are queued, those that it has
 * no more are erased. Returns how many sources that purges.
 */
async function replaceAttachments(
  { random }: Pick<Bindings, 'random'>,
  session: Session,
  tx: NamespaceWriter,
  parent: DocumentRecord,
  attachments: readonly StoredAttachment[],
  now: number,
): Promise<number> {
  const { scopeId, writer } = parent
  const docIds = new Set(attachments.map(({ docId }) => docId))
  const inside = await tx.ingested.withChildren([parent.documentId])
  const gone = inside.filter((child) => child.parentId === parent.documentId && !docIds.has(child.docId))
  const erased = await tx.ingested.withChildren(gone.map(({ documentId }) => documentId))
  const sources = await eraseDocuments(tx, erased, now)

  const known = new Map((await tx.ingested.find(scopeId, writer, [...docIds])).map((child) => [child.docId, child]))
  const live = await tx.ingested.withUnits([...known.values()].map(({ documentId }) => documentId))
  for (const attachment of attachments) {
    const before = known.get(attachment.docId)
    if (attachment.source)
      await queue({ random }, tx, parent, { ...attachment, source: attachment.source }, before, now)
    else if (before) {
      const child = { ...before, parentId: parent.documentId }
      // One that was deleted comes back with the file that it is in.
      const isGone = before.status === 'ready' && !live.has(before.documentId)
      const present = isGone ? { ...child, status: 'queued' as const, found: null } : child
      await followParent(session, tx, present, parent, now)
    }
  }
  return sources
}

type NewAttachment = StoredAttachment & { source: { id: string; uri: string } }

async function queue(
  { random }: Pick<Bindings, 'random'>,
  tx: NamespaceWriter,
  parent: DocumentRecord,
  { name, docId, bytes, sha256, alternative, source }: NewAttachment,
  before: DocumentRecord | undefined,
  now: number,
): Promise<void> {
  const mime = 'application/octet-stream'
  const { writer, keyHash, requestId, scopeId, aclGroups, namespaceId } = parent
  const level = parent.level + 1
  const tooDeep = level > parseLimits.levels
  await tx.sources.insert({
    ...source,
    ...{
      mime,
      bytes,
      sha256,
      name,
      content: null,
      createdBy: writer,
      createdAt: now,
      uploadedWith: keyHash,
      byLink: false,
    },
  })
  await tx.ingested.put(
    {
      namespaceId,
      documentId: before?.documentId ?? random.id('document'),
      scopeId,
      docId,
      writer,
      parentId: parent.documentId,
      level,
      name,
      sourceUri: source.uri,
      mime,
      bytes,
      sha256,
      sidecar: alternative,
      aclGroups,
      metadata: inheritedMetadata(parent, name),
      force: false,
      keyHash,
      requestId,
      found: before?.found ?? null,
      status: tooDeep ? 'failed' : 'queued',
      reason: tooDeep ? 'too_large' : null,
      detail: tooDeep ? `Documents may be inside of each other at most ${parseLimits.levels} levels deep.` : null,
      attempts: 0,
      textDueAt: null,
      version: (before?.version ?? 0) + 1,
      createdAt: before?.createdAt ?? now,
      updatedAt: changedAt(before, now),
    },
    now,
  )
}

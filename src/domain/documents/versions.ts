import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { forbidden } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import { type DocumentRecord, type DocumentVersion, type FoundVersion, maxDocIdLength } from '../../model/document.ts'
import type { Session } from '../../model/session.ts'
import type { Metadata } from '../../model/unit.ts'
import { aclOf } from '../../model/unit.ts'
import type { DocumentUnit, NamespaceWriter } from '../../ports/catalog.ts'
import { bounds, changedAcl, isSame, mayChangeAcl } from '../access/visibility.ts'
import { metadata as metadataRules } from '../input/parse.ts'
import { rehash } from '../units/write-batch.ts'

/** An id of a document for a name of any length. */
export const docIdFor = (name: string): string =>
  name.length <= maxDocIdLength ? name : `sha256:${createHash('sha256').update(name).digest('hex')}`

/** The caller's metadata with the path, if there is room for it. The caller's own keys win. */
export function withPath(path: string, metadata: Metadata): Metadata {
  return merged({ path }, metadata)
}

/** What the parser knows, below what the caller sent. Left out if together they are too much. */
export function merged(known: Metadata, sent: Metadata): Metadata {
  const both = { ...known, ...sent }
  return metadataRules.safeParse(both).success ? both : sent
}

/** The file and the options of a version that is found. */
export function sentOf({ asGiven, at, ...version }: FoundVersion): DocumentVersion {
  return version
}

/** The same file, read in the same way. */
export const sameFile = (a: DocumentVersion, b: DocumentVersion): boolean =>
  a.sha256 === b.sha256 && a.name === b.name && a.sidecar === b.sidecar

export const sameOptions = (a: DocumentVersion, b: DocumentVersion): boolean =>
  canonicalize([[...a.aclGroups], a.metadata]) === canonicalize([[...b.aclGroups], b.metadata])

/** Keys that parsers give: a value of the caller's may have taken the place of theirs. */
const parserKeys = new Set(['path', 'page', 'sheet', 'rows', 'speaker', 'count', 'first_time', 'last_time', 'example'])

/** Whether the Units' metadata can follow a change of the document's without parsing it again. */
export function followsInPlace(before: Metadata, after: Metadata): boolean {
  const changed = Object.keys(before).filter((key) => canonicalize(before[key]) !== canonicalize(after[key]))
  return !changed.some((key) => parserKeys.has(key))
}

/** When a document changes: later than all changes before, so that the latest is known where a clock is behind. */
export const changedAt = (before: Pick<DocumentRecord, 'updatedAt'> | undefined, now: number): number =>
  Math.max(now, (before?.updatedAt ?? 0) + 1)

/**
 * Makes a found document ready with other groups and metadata, and the documents inside it too. Their Units are changed
 * in place. Errors: 403 if a Unit is out of the reach of the caller's key.
 */
export async function changeInPlace(
  session: Session,
  tx: NamespaceWriter,
  document: DocumentRecord,
  now: number,
): Promise<DocumentRecord> {
  const found = (await tx.ingested.get([document.documentId]))[0]?.found
  const before = found?.metadata ?? {}
  const groupsChange = found != null && !isSame(aclOf('', found.aclGroups), aclOf('', document.aclGroups))
  if (groupsChange) await requireAclOf(session, tx, document)
  const record = await put(tx, { ...document, status: 'ready', force: false }, now)
  let units = await changeUnits(session, tx, document, before, now)
  const inside = await tx.ingested.withChildren([document.documentId])
  for (const child of inside.filter(({ documentId }) => documentId !== document.documentId)) {
    units += await followParent(session, tx, child, document, now)
  }
  await tx.audit(auditEntry(session, now, 'document.change', document.documentId, { units, seq: tx.seq() }))
  return record
}

/** Gives a document the groups and metadata of the one that it is in. Returns how many Units changed. */
export async function followParent(
  session: Session,
  tx: NamespaceWriter,
  child: DocumentRecord,
  parent: DocumentRecord,
  now: number,
): Promise<number> {
  const options = { aclGroups: parent.aclGroups, metadata: inheritedMetadata(parent, child.name) }
  const changed = { ...child, ...options, found: child.found && { ...child.found, ...options } }
  await put(tx, changed, now)
  return child.found ? changeUnits(session, tx, changed, child.found.metadata, now) : 0
}

/** The path is the document's own, unless the caller sent one. */
export const inheritedMetadata = ({ name, metadata }: DocumentRecord, path: string): Metadata =>
  metadata.path === name ? { ...metadata, path } : metadata

async function put(tx: NamespaceWriter, document: DocumentRecord, now: number): Promise<DocumentRecord> {
  const record: DocumentRecord = {
    ...document,
    ...(document.status === 'ready' && { reason: null, detail: null }),
    version: document.version + 1,
    // One that runs begins again with the new options.
    status: document.status === 'running' ? 'queued' : document.status,
    updatedAt: changedAt(document, now),
  }
  await tx.ingested.put(record, now)
  return record
}

async function changeUnits(
  session: Session,
  tx: NamespaceWriter,
  { documentId, aclGroups, metadata }: DocumentRecord,
  before: Metadata,
  now: number,
): Promise<number> {
  const units = (await tx.ingested.units(documentId)).filter(({ state }) => state === 'live')
  requireReached(session, units)
  const changes = units.flatMap((unit) => {
    const acl = mayChangeAcl(session, unit.acl) ? aclOf(unit.acl.owner, aclGroups) : unit.acl
    requireReached(session, [{ ...unit, acl }])
    const kept = Object.entries(unit.metadata).filter(([key]) => !Object.hasOwn(before, key))
    const changed = { ...Object.fromEntries(kept), ...metadata }
    const { unitId, title } = unit
    const contentHash = rehash(unit.contentHash, { acl, metadata: changed, title })
    return contentHash === unit.contentHash ? [] : [{ unitId, acl, metadata: changed, title, contentHash }]
  })
  await tx.units.update(changes, now)
  return changes.length
}

/** 403 if a Unit of a document, or of one inside it, has passed to another owner, who alone changes its readers. */
async function requireAclOf(session: Session, tx: NamespaceWriter, { documentId, aclGroups }: DocumentRecord) {
  for (const inside of await tx.ingested.withChildren([documentId])) {
    const units = await tx.ingested.units(inside.documentId)
    for (const { acl, state } of units) if (state === 'live') changedAcl(session, acl, { aclGroups })
  }
}

/** 403 if a restriction of the key excludes one of these Units of its principal, or the scope is closed by now. */
export function requireReached(session: Session, units: readonly DocumentUnit[]): void {
  const paths = new Map(session.facts.scopes.map(({ id, scope }) => [id, scope]))
  for (const unit of units) {
    const scope = paths.get(unit.scopeId)
    // A Unit of a deleted scope is on its way out.
    if (scope === undefined) continue
    if (!session.may('write', scope) || !bounds.reaches(session, scope, unit))
      throw forbidden('the document may only have Units within the scopes, planes and groups that the API key allows')
  }
}

/** Units per statement. */
const batchSize = 1000

/** Hard-deletes Units, also deleted ones. Returns how many sources that purges. */
export async function purgeUnits(tx: NamespaceWriter, unitIds: readonly string[], now: number): Promise<number> {
  let sources = 0
  for (let from = 0; from < unitIds.length; from += batchSize) {
    sources += (await tx.units.purge(unitIds.slice(from, from + batchSize), now)).sources.length
  }
  return sources
}

/** Removes documents for good, with their Units, sources and queued work. Returns how many sources that purges. */
export async function eraseDocuments(
  tx: NamespaceWriter,
  documents: readonly DocumentRecord[],
  now: number,
): Promise<number> {
  const unitIds: string[] = []
  for (const { documentId } of documents) {
    unitIds.push(...(await tx.ingested.units(documentId)).map(({ unitId }) => unitId))
  }
  // The documents first: while they are there, their sources are needed.
  await tx.ingested.remove(documents.map(({ documentId }) => documentId))
  let sources = await purgeUnits(tx, unitIds, now)
  for (const [writer, own] of Map.groupBy(documents, (document) => document.writer)) {
    const uris = own.flatMap(({ sourceUri, found }) => [sourceUri, found?.sourceUri ?? sourceUri])
    sources += (await tx.ingested.purgeSources([...new Set(uris)], writer, now)).length
  }
  return sources
}

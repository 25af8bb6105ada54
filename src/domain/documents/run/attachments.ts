import { webcrypto } from 'node:crypto'
import type { DocumentRecord } from '../../../model/document.ts'
import { parseLimits } from '../../../model/parse-limits.ts'
import type { Session } from '../../../model/session.ts'
import type { NamespaceWriter } from '../../../ports/catalog/namespace-writer.ts'
import type { Attachment } from '../../../ports/parser.ts'
import type { Bindings } from '../../bindings/bindings.ts'
import { sourceKey } from '../../sources/purge-sources.ts'
import { followParent, inheritedMetadata } from '../content/change-in-place.ts'
import { changedAt } from '../content/changed-at.ts'
import { eraseDocuments } from '../content/erase-documents.ts'
import { docIdFor } from '../content/versions.ts'

/** An attachment with its id as a document. `source` is null where the document has the same bytes already. */
export interface StoredAttachment {
  name: string
  docId: string
  bytes: number
  sha256: string
  /** What its document has as sidecar. */
  alternative: string | null
  source: { id: string; uri: string } | null
}

type Deps = Pick<Bindings, 'catalog' | 'objects' | 'random'>

/** Stores the bytes of new and changed attachments. Until `replaceAttachments`, nothing names them. */
export async function storeAttachments(
  { catalog, objects, random }: Deps,
  parent: DocumentRecord,
  attachments: readonly Attachment[],
): Promise<StoredAttachment[]> {
  const { namespaceId } = parent
  const known = await catalog.documents.children(namespaceId, parent.documentId)
  const versions = new Map(known.map((child) => [child.docId, child]))
  const stored: StoredAttachment[] = []
  for (const [i, { bytes, alternative = null }] of attachments.entries()) {
    const name = nameAt(attachments, i)
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
function nameAt(attachments: readonly Attachment[], index: number): string {
  const name = attachments[index]?.name ?? ''
  const before = attachments.slice(0, index).filter((other) => other.name === name).length
  return before === 0 ? name : `${name} (${before + 1})`
}

/**
 * Makes the attachments of a new version the documents inside of it: new and changed ones are queued, those that it has
 * no more are erased. Returns how many sources that purges.
 */
export async function replaceAttachments(
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

import { forbidden } from '../../../errors.ts'
import { scopeHeader } from '../../../model/brand.ts'
import type { DocumentRecord } from '../../../model/document.ts'
import { parseLimits } from '../../../model/parse-limits.ts'
import type { Session } from '../../../model/session.ts'
import type { ClaimedDocument, HeldRun } from '../../../ports/catalog/documents.ts'
import { keySessionOf } from '../../access/session-of.ts'
import type { BackgroundWork } from '../../background/background.ts'
import type { Bindings } from '../../bindings/bindings.ts'
import type { Indexer } from '../../indexing/indexer.ts'
import { sourceKey, textKey } from '../../sources/purge-sources.ts'
import { type EmbeddedUnit, embedUnits } from '../../units/embed-units.ts'
import type { PlacedUnit } from '../../units/place-units.ts'
import { sameFile, sameOptions } from '../content/versions.ts'
import { discardAttachments, storeAttachments } from './attachments.ts'
import { DocumentError } from './failure.ts'
import { sourceMissing, withLocalFile } from './local-file.ts'
import { prepareUnits } from './prepare-units.ts'
import { replaceUnits } from './replace-units.ts'

export type RunDeps = Pick<Bindings, 'catalog' | 'objects' | 'parser' | 'inference' | 'clock' | 'random' | 'log'> & {
  brand: string
  superAdminToken: string | undefined
  inferenceTimeoutMs: number
  indexer: Indexer
  purging: BackgroundWork
}

/** Until searches see the Units. If an index is down for longer, they follow. */
const indexWaitMs = 30_000

/** Units embedded at a time. */
const batchSize = 500

/** Parses a document and writes its Units. Resolves when searches see them. Throws for everything that prevents it. */
export async function runDocument(
  deps: RunDeps,
  claimed: ClaimedDocument,
  holder: string,
  stop: AbortSignal,
): Promise<void> {
  const { namespaceId, documentId, version } = claimed.record
  const seq = isWritten(claimed.record)
    ? await deps.catalog.changes.headSeq(namespaceId)
    : await write(deps, claimed, { namespaceId, documentId, version, holder }, stop)
  if (seq !== null) await deps.indexer.waitFor(namespaceId, seq, indexWaitMs)
}

/** An earlier run was killed between writing the Units and its end. */
const isWritten = (record: DocumentRecord) =>
  record.found?.sourceUri === record.sourceUri &&
  !record.force &&
  sameFile(record.found, record) &&
  sameOptions(record.found, record)

async function write(deps: RunDeps, claimed: ClaimedDocument, run: HeldRun, stop: AbortSignal): Promise<number | null> {
  const { catalog, objects, parser } = deps
  const { record } = claimed
  const { namespaceId, sourceUri, name, sidecar } = record
  // Before anything else: who may not write any more, gets no file parsed.
  await rightsOf(deps, claimed)
  const source = await catalog.documents.source(namespaceId, sourceUri, record.writer)
  if (!source) throw sourceMissing()
  const file = await withLocalFile(objects, sourceKey(namespaceId, source.id), (path) =>
    parser.parse({ path, name, sidecar }, stop),
  )
  if (file.units.length > parseLimits.units)
    throw new DocumentError('too_many_units', `The file has more than ${parseLimits.units} Units.`)
  if (file.units.length === 0) throw new DocumentError('empty', 'The file has nothing that can be found.')
  const placed = await prepareUnits(await rightsOf(deps, claimed), record, file, scopeHeader(deps.brand))
  const units = await embedAll(deps, namespaceId, placed)
  if (file.text !== null) await objects.put(textKey(namespaceId, source.id), Buffer.from(file.text))
  const attachments = await storeAttachments(deps, record, file.attachments)
  const session = await rightsOf(deps, claimed)
  try {
    const asGiven = file.units.some(({ given }) => given !== undefined)
    const seq = await catalog.transact(namespaceId, (tx) =>
      replaceUnits(deps, session, tx, { run, document: record, units, attachments, mime: file.mime, asGiven }),
    )
    if (seq === null) await discardAttachments(deps, namespaceId, attachments)
    deps.purging.kick()
    return seq
  } catch (error) {
    await discardAttachments(deps, namespaceId, attachments)
    throw error
  }
}

/** The present rights of the writer and its key, in the document's scope. 403 if they don't include writing there. */
async function rightsOf(deps: RunDeps, { record, namespace, scope }: ClaimedDocument): Promise<Session> {
  const { writer: principalId, keyHash, requestId } = record
  const session = await keySessionOf(deps, { principalId, keyHash }, namespace, requestId)
  if (!session?.may('write', scope)) throw forbidden(`write permission is required on ${scope}`)
  return session.withScope(scope)
}

async function embedAll(deps: RunDeps, namespaceId: string, units: readonly PlacedUnit[]): Promise<EmbeddedUnit[]> {
  const embedded: EmbeddedUnit[] = []
  for (let from = 0; from < units.length; from += batchSize) {
    embedded.push(...(await embedUnits(deps, namespaceId, units.slice(from, from + batchSize))))
  }
  return embedded
}

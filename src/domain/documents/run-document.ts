import { createHash } from 'node:crypto'
import { forbidden, InvalidInputError, ServiceError } from '../../errors.ts'
import type { DocumentReason, DocumentRecord } from '../../model/document.ts'
import { parseLimits } from '../../model/parse-limits.ts'
import { scopeHeader } from '../../model/request.ts'
import type { Session } from '../../model/session.ts'
import type { Plane } from '../../model/unit.ts'
import type { ClaimedDocument, HeldRun } from '../../ports/catalog.ts'
import type { Inference } from '../../ports/models/inference.ts'
import { ParseError } from '../../ports/parser.ts'
import { keySessionOf } from '../access/gate.ts'
import type { BackgroundWork } from '../background/background.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { withLocalFile } from '../sources/local-file.ts'
import { sourceKey, textKey } from '../sources/purge-sources.ts'
import { PlaneDisabledError, TooManyUnitsError } from '../units/limits.ts'
import { type EmbeddedUnit, embedUnits, ingestSignal, type PlacedUnit } from '../units/place-units.ts'
import { prepareUnits, type ReadFile, readMedia } from './prepare-units.ts'
import { discardAttachments, replaceUnits, storeAttachments } from './replace-units.ts'
import { sameFile, sameOptions } from './versions.ts'

/** Why a document cannot be taken in. `detail` is one sentence that the writer may see. */
class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly reason: DocumentReason
  readonly detail: string

  constructor(reason: DocumentReason, detail: string) {
    super(`${reason}: ${detail}`)
    this.reason = reason
    this.detail = detail
  }
}

export interface Failure {
  reason: DocumentReason
  detail: string
  /** The cause may pass. */
  passing: boolean
}

const internalDetail = 'The service could not process the file.'

/** What the writer learns of an error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ParseError || error instanceof DocumentError) {
    const { reason, detail } = error
    return { reason, detail, passing: reason === 'internal' }
  }
  if (error instanceof PlaneDisabledError) return { reason: 'forbidden', detail: error.problem, passing: false }
  if (error instanceof TooManyUnitsError) return { reason: 'too_many_units', detail: error.problem, passing: false }
  if (error instanceof InvalidInputError) return { reason: 'malformed', detail: error.detail, passing: false }
  if (error instanceof ServiceError && error.status < 500) {
    return { reason: reasonOf(error), detail: error.detail, passing: false }
  }
  return { reason: 'internal', detail: internalDetail, passing: true }
}

function reasonOf({ code }: ServiceError): DocumentReason {
  if (code === 'upgrade_required' || code === 'quota_exceeded') return code
  return code === 'bad_request' ? 'malformed' : 'forbidden'
}

/** The models still fail: nothing is written, and they are called again at `dueAt`, epoch milliseconds. */
export class TextPendingError extends Error {
  override readonly name = 'TextPendingError'
  readonly dueAt: number

  constructor(dueAt: number) {
    super('the models have not answered')
    this.dueAt = dueAt
  }
}

const minPauseMs = 5_000
const maxPauseMs = 3_600_000

/** How long to wait before models are called again: as long as the Units have been without their text. */
export const textPause = ({ found, status }: DocumentRecord, now: number): number =>
  Math.min(maxPauseMs, Math.max(minPauseMs, status === 'ready' && found ? now - found.at : 0))

export type RunDeps = Pick<
  Bindings,
  'catalog' | 'objects' | 'parser' | 'media' | 'inference' | 'clock' | 'random' | 'log'
> & {
  brand: string
  superAdminToken: string | undefined
  inferenceTimeoutMs: number
  ingestWaitMs: number
  embedSoon(): void
  indexer: Indexer
  purging: BackgroundWork
}

/** Until searches see the Units. If an index is down for longer, they follow. */
const indexWaitMs = 30_000

/**
 * Parses a document and writes its Units. Resolves when searches see them, with a sentence about what could not be read in
 * its pictures, or null. Throws for everything that prevents it.
 */
export async function runDocument(
  deps: RunDeps,
  claimed: ClaimedDocument,
  holder: string,
  stop: AbortSignal,
): Promise<string | null> {
  const { namespaceId, documentId, version } = claimed.record
  const { seq, problem } = isWritten(claimed.record)
    ? { seq: await deps.catalog.changes.headSeq(namespaceId), problem: null }
    : await write(deps, claimed, { namespaceId, documentId, version, holder }, stop)
  if (seq !== null) await deps.indexer.waitFor(namespaceId, seq, indexWaitMs)
  return problem
}

/** An earlier run was killed between writing the Units and its end. */
const isWritten = (record: DocumentRecord) =>
  record.status !== 'ready' &&
  record.found?.sourceUri === record.sourceUri &&
  !record.force &&
  sameFile(record.found, record) &&
  sameOptions(record.found, record)

async function write(
  deps: RunDeps,
  claimed: ClaimedDocument,
  run: HeldRun,
  stop: AbortSignal,
): Promise<{ seq: number | null; problem: string | null }> {
  const { catalog, objects } = deps
  const { record } = claimed
  const { namespaceId, sourceUri } = record
  // Before anything else: who may not write any more, gets no file parsed.
  await rightsOf(deps, claimed)
  const source = await catalog.documents.source(namespaceId, sourceUri, record.writer)
  const stored = source && (await objects.open(sourceKey(namespaceId, source.id)))
  if (!stored) throw sourceMissing()
  return withLocalFile(stored.stream, (path) => writeFile(deps, claimed, run, source.id, path, stop))
}

/** `path`: the file. The members of an archive stay beside it until they are stored. */
async function writeFile(
  deps: RunDeps,
  claimed: ClaimedDocument,
  run: HeldRun,
  sourceId: string,
  path: string,
  stop: AbortSignal,
): Promise<{ seq: number | null; problem: string | null }> {
  const { catalog } = deps
  const { record } = claimed
  const { namespaceId } = record
  const { file, pending, problem } = await read(deps, claimed, path, stop)
  const now = deps.clock.now()
  const textDueAt = pending ? now + textPause(record, now) : null
  if (record.status === 'ready' && textDueAt !== null) throw new TextPendingError(textDueAt)
  const placed = await prepareUnits(await rightsOf(deps, claimed), record, file, scopeHeader(deps.brand))
  const units = await embedChanged(deps, record, placed)
  const discard: (() => Promise<void>)[] = []
  try {
    if (file.text !== null) discard.push(await storeText(deps, textKey(namespaceId, sourceId), file.text))
    const attachments = await storeAttachments(deps, record, file.attachments)
    discard.push(() => discardAttachments(deps, namespaceId, attachments))
    const session = await rightsOf(deps, claimed)
    const asGiven = file.units.some(({ given }) => given !== undefined)
    const written = { run, document: record, units, attachments, mime: file.mime, asGiven, textDueAt }
    const seq = await catalog.transact(namespaceId, (tx) => replaceUnits(deps, session, tx, written))
    if (seq === null) for (const undo of discard) await undo()
    deps.purging.kick()
    if (units.some(({ embedPending }) => embedPending)) deps.embedSoon()
    return { seq, problem }
  } catch (error) {
    for (const undo of discard) await undo()
    throw error
  }
}

/** Stores the text of a source; returns how to remove it, which keeps one that was there before. */
async function storeText({ objects }: RunDeps, key: string, text: string): Promise<() => Promise<void>> {
  const isNew = (await objects.open(key)) === null
  await objects.put(key, Buffer.from(text))
  return async () => {
    if (isNew) await objects.delete(key)
  }
}

/** The Units of the file, with what models read in it. */
async function read(deps: RunDeps, claimed: ClaimedDocument, path: string, stop: AbortSignal): Promise<ReadFile> {
  const { name, sidecar } = claimed.record
  const file = await deps.parser.parse({ path, name, sidecar }, stop)
  if (file.units.length > parseLimits.units)
    throw new DocumentError('too_many_units', `The file has more than ${parseLimits.units} Units.`)
  if (file.units.length === 0 && file.attachments.length === 0)
    throw new DocumentError('empty', 'The file has nothing that can be found.')
  if (file.units.every(({ media }) => media === undefined)) return { file, pending: false, problem: null }
  // Models cost money: first whether these Units may be written at all.
  await prepareUnits(await rightsOf(deps, claimed), claimed.record, file, scopeHeader(deps.brand))
  return readMedia(deps, claimed.record, file, path, stop)
}

/** The present rights of the writer and its key, in the document's scope. 403 if they don't include writing there. */
async function rightsOf(deps: RunDeps, { record, namespace, scope }: ClaimedDocument): Promise<Session> {
  const { writer: principalId, keyHash, requestId } = record
  const session = await keySessionOf(deps, { principalId, keyHash }, namespace, requestId)
  if (!session?.may('write', scope)) throw forbidden(`write permission is required on ${scope}`)
  return session.withScope(scope)
}

const sourceMissing = () => new DocumentError('source_missing', 'The source is not there any more.')

type Deps = Pick<Bindings, 'catalog' | 'inference' | 'log'> &
  Pick<DomainSettings, 'inferenceTimeoutMs' | 'ingestWaitMs'>

/** Units embedded at a time. */
const batchSize = 500

/** Gives each Unit its vector. A text that the version before has too keeps the vector that it has there. */
async function embedChanged(
  deps: Deps,
  document: DocumentRecord,
  units: readonly PlacedUnit[],
): Promise<EmbeddedUnit[]> {
  const inference = document.found ? withKnown(deps, document) : deps.inference
  const signal = ingestSignal(deps)
  const embedded: EmbeddedUnit[] = []
  for (let from = 0; from < units.length; from += batchSize) {
    const some = units.slice(from, from + batchSize)
    embedded.push(...(await embedUnits({ ...deps, inference }, document.namespaceId, some, { signal })))
  }
  return embedded
}

/** Hashed n-grams are as fast as reading a vector. */
function withKnown({ catalog, inference }: Deps, { namespaceId, documentId }: DocumentRecord): Inference {
  const read = new Map<Plane, Promise<Map<string, Float32Array>>>()
  const knownIn = (plane: Plane) => {
    const { name } = inference.model(plane)
    const known = read.get(plane) ?? catalog.documents.vectors(namespaceId, documentId, plane, name)
    read.set(plane, known)
    return known
  }
  return {
    ...inference,
    embed: async (plane, texts, kind, signal) => {
      if (inference.model(plane).fallback) return inference.embed(plane, texts, kind, signal)
      const known = await knownIn(plane)
      const found = texts.map((text) => known.get(createHash('sha256').update(text).digest('hex')))
      const others = texts.filter((_, i) => found[i] === undefined)
      const made = others.length === 0 ? [] : await inference.embed(plane, others, kind, signal)
      const next = made.values()
      return found.map((vector) => vector ?? next.next().value ?? null)
    },
  }
}

import { startInterval } from '../../async/interval.ts'
import type { Session } from '../../model/session.ts'
import type { ClaimedDocument, RunEnd } from '../../ports/catalog.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import type { BackgroundWork } from '../background/background.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import { outsideWrites } from '../writes/writes.ts'
import { deleteDocuments } from './delete-documents.ts'
import type { DocumentChangesInput, DocumentsInput, IngestDocumentInput } from './document-input.ts'
import { ingestDocument, retryDocuments } from './ingest-document.ts'
import { listDocuments, readDocument } from './read-documents.ts'
import { type Failure, failureOf, type RunDeps, runDocument, TextPendingError, textPause } from './run-document.ts'
import { changedAt } from './versions.ts'
import { createDocumentChanges, type DocumentChanges, watchDocuments } from './watch-documents.ts'

type RunnerDeps = RunDeps & { parseWorkers: number; changes: DocumentChanges }

/** How long a run is held without being renewed: so long another process waits after a crash. */
const heldMs = 15_000
const renewMs = 5_000

/** How often to look for documents of other processes, and for those that are tried again. */
const everyMs = 2_000

const maxAttempts = 3
/** Before the second and the third try. */
const pausesMs = [2_000, 15_000] as const

/**
 * Parses queued documents, at most `parseWorkers` at a time. What a killed process had begun begins again: at once where
 * no other process uses the catalog, elsewhere when nobody has renewed it for a while.
 */
function createDocumentRunner(deps: RunnerDeps): BackgroundWork {
  const { catalog, clock, random, log, changes, parseWorkers } = deps
  const { documents } = catalog
  const stopping = new AbortController()
  /** By the holder of its run. What a lane that failed holds is renewed no more, so that another one takes it. */
  const lanes = new Map<string, Promise<void>>()
  let intervals: (() => void)[] = []
  let opened: Promise<void> | null = null
  let again = false
  let problem = ''

  const process = async (claimed: ClaimedDocument, holder: string) => {
    const { namespaceId, documentId, version, status } = claimed.record
    if (status === 'ready') return followUp(claimed, holder)
    changes.changed(namespaceId)
    const end = await runDocument(deps, claimed, holder, stopping.signal).then(
      (problem) => succeeded(claimed, problem),
      (error: unknown) => failed(claimed, error),
    )
    // A restart begins it again.
    if (end === null) return
    await documents.end({ namespaceId, documentId, version, holder }, end, changedAt(claimed.record, clock.now()))
    changes.changed(namespaceId)
  }

  /** Brings the text of a ready document that models owe. */
  const followUp = async (claimed: ClaimedDocument, holder: string) => {
    const { namespaceId, documentId, version } = claimed.record
    const dueAt = await runDocument(deps, claimed, holder, stopping.signal).then(
      () => null,
      (error: unknown) => nextTry(claimed, error),
    )
    await documents.readAgain({ namespaceId, documentId, version, holder }, dueAt)
    changes.changed(namespaceId)
  }

  const nextTry = ({ record }: ClaimedDocument, error: unknown): number | null => {
    if (stopping.signal.aborted) return record.textDueAt
    if (error instanceof TextPendingError) return error.dueAt
    return failureOf(error).passing ? clock.now() + textPause(record, clock.now()) : null
  }

  const succeeded = ({ record }: ClaimedDocument, detail: string | null): RunEnd => ({
    status: 'ready',
    reason: null,
    detail,
    attempts: record.attempts + 1,
    dueAt: clock.now(),
  })

  const failed = ({ record }: ClaimedDocument, error: unknown): RunEnd | null => {
    if (stopping.signal.aborted) return null
    const { reason, detail, passing }: Failure = failureOf(error)
    const { documentId, namespaceId } = record
    if (reason === 'internal') log.warn({ err: error, documentId, namespaceId }, 'a document could not be processed')
    const attempts = record.attempts + 1
    const status = passing && attempts < maxAttempts ? 'queued' : 'failed'
    return { status, reason, detail, attempts, dueAt: clock.now() + (pausesMs[record.attempts] ?? 0) }
  }

  /** Runs documents until none is due. */
  const lane = async (holder: string) => {
    try {
      opened ??= catalog.withClusterLock ? Promise.resolve() : documents.reopen()
      await opened.catch((error: unknown) => {
        opened = null
        throw error
      })
      while (!stopping.signal.aborted) {
        const claimed = await documents.claim(holder, clock.now(), heldMs)
        if (!claimed) break
        fill()
        await process(claimed, holder)
      }
      problem = ''
    } catch (error) {
      if (stopping.signal.aborted || problem === String(error)) return
      problem = String(error)
      log.warn({ err: error }, 'documents could not be processed and will be tried again')
    }
  }

  /** Opens a lane if one more may run. */
  const fill = () => {
    if (stopping.signal.aborted || lanes.size >= parseWorkers) return
    const holder = random.id('runner')
    const running = outsideWrites(() => lane(holder)).finally(() => {
      lanes.delete(holder)
      if (!again) return
      again = false
      fill()
    })
    lanes.set(holder, running)
  }

  const kick = () => {
    if (stopping.signal.aborted) return
    if (intervals.length === 0) {
      const renew = () => {
        for (const holder of lanes.keys())
          documents.renew(holder, heldMs).catch((err) => log.warn({ err }, 'runs were not renewed'))
      }
      intervals = [startInterval(everyMs, kick), startInterval(renewMs, renew)]
    }
    // Its last look may have been before what is new now.
    again = lanes.size > 0
    fill()
  }

  return {
    kick,
    idle: async () => {
      while (lanes.size > 0) await Promise.all(lanes.values())
    },
    stop: async () => {
      stopping.abort()
      for (const end of intervals) end()
      await Promise.all(lanes.values())
    },
  }
}

type Shared = 'runner' | 'changes' | 'stopping'

type Deps = Omit<Parameters<typeof createDocumentRunner>[0], Shared> &
  Omit<Parameters<typeof ingestDocument>[0], Shared> &
  Omit<Parameters<typeof deleteDocuments>[0], Shared> &
  Omit<Parameters<typeof watchDocuments>[0], Shared> & { reads: ReadRecorder; turns: Turns }

export function createDocuments(given: Deps) {
  const changes = createDocumentChanges()
  const runner = createDocumentRunner({ ...given, changes })
  const stopping = new AbortController()
  const deps = { ...given, changes, runner, stopping: stopping.signal }
  const { turns } = deps
  return {
    runner,
    /** Ends all watches: they would keep the server open. */
    endWatches: () => stopping.abort(),
    servicesFor: (session: Session) => ({
      ingest: (input: IngestDocumentInput) => turns.writing(session, heavy, () => ingestDocument(deps, session, input)),
      retry: (documentIds: readonly string[]) =>
        turns.writing(session, heavy, () => retryDocuments(deps, session, documentIds)),
      delete: (input: { documentIds: readonly string[]; hard: boolean }) =>
        turns.writing(session, heavy, () => deleteDocuments(deps, session, input)),
      get: (documentId: string) => readDocument(deps, session, documentId),
      list: (input: DocumentsInput) => turns.answering(session, heavy, () => listDocuments(deps, session, input)),
      watch: (input: DocumentChangesInput) => watchDocuments(deps, session, input),
    }),
  }
}

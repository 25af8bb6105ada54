import { createHash } from 'node:crypto'
import { type AuditEntry, auditEntry } from '../../model/audit.ts'
import { checkEnd } from '../../model/audit-chain.ts'
import { tiers } from '../../model/tiers.ts'
import {
  parseEnd,
  parseHeader,
  type TransferCounts,
  type TransferEnd,
  type TransferHeader,
  TransferRefusedError,
} from '../../model/transfer.ts'
import type { TransferNamespace, TransferWriter } from '../../ports/catalog.ts'
import type { Checkpoints } from '../audit/checkpoints.ts'
import { followChain } from '../audit/follow-chain.ts'
import { noAnchor, readKnownCheckpoints } from '../audit/known-checkpoints.ts'
import type { NoteSigner } from '../audit/note-signer.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { createRecordTaker } from './take-records.ts'

type Deps = Pick<Bindings, 'catalog' | 'objects' | 'clock' | 'random' | 'log'> & {
  checkpoints: Pick<Checkpoints, 'current'>
  signer: Pick<NoteSigner, 'open'>
}

export interface ImportInput {
  /** The lines of the file, from the first one; the file is read twice. */
  lines(): Lines
  /** How many of the file's records were imported so far. */
  progress?(records: number, all: number): void
}

interface Imported extends CheckedLogs {
  counts: TransferCounts
  /** Records that could not be imported here, by kind. */
  leftOut: TransferCounts
}

const progressRecords = 500

/**
 * Imports the namespaces of a file, all or none: others see them when everything is imported and checked. A crash
 * leaves nothing, except bytes of sources that nobody can access. Throws `TransferRefusedError`, with nothing changed,
 * for an incomplete file, for namespaces, principals, tokens or users that exist here, and for a log that does not
 * verify.
 */
export async function importNamespaces(deps: Deps, { lines, progress }: ImportInput): Promise<Imported> {
  const { header, end } = await readFileThrough(lines())
  const stored: string[] = []
  const work = async (tx: TransferWriter): Promise<Imported> => {
    const records = createRecordTaker(deps, tx, header.version, stored)
    const again = await readFileThrough(lines(), async (line, at) => {
      await records.take(line, at)
      if (at % progressRecords === 0) progress?.(at, end.records)
    }).catch(async (error: unknown) => {
      await records.abandon()
      throw error
    })
    if (again.end.sha256 !== end.sha256) throw new TransferRefusedError('the file was changed while it was read')
    const leftOut = await records.end()
    await tx.settle()
    const logs = await checkLogs(deps, tx)
    await recordImport(deps, tx, logs, { records: end.records, exported_at: header.time, service: header.service })
    return { counts: end.counts, leftOut, ...logs }
  }
  const ids = header.namespaces.map(({ id }) => id)
  const imported = await deps.catalog.transfer.write(ids, work).catch(async (error: unknown) => {
    // Only if it is certain that no record refers to them: a commit may have succeeded even if its response was lost.
    if (error instanceof TransferRefusedError) await Promise.all(stored.map((key) => deps.objects.delete(key)))
    throw error
  })
  await signLogs(deps, imported)
  return imported
}

/** The lines of a file in batches, without their newlines. */
type Lines = AsyncIterable<readonly string[]>

interface CheckedFile {
  header: TransferHeader
  end: TransferEnd
}

/**
 * Reads a whole file and passes its records to `take`, each with its line number. Throws `TransferRefusedError` if the
 * file is not complete or was changed.
 */
async function readFileThrough(
  lines: Lines,
  take: (line: string, at: number) => Promise<void> = async () => {},
): Promise<CheckedFile> {
  const digest = createHash('sha256')
  let header: TransferHeader | null = null
  let end: TransferEnd | null = null
  let at = 0
  for await (const batch of lines) {
    for (const line of batch) {
      at += 1
      if (end) throw new TransferRefusedError('the file continues after its end')
      end = parseEnd(line)
      if (end) continue
      digest.update(`${line}\n`)
      if (header) await take(line, at)
      else header = parseHeader(line)
    }
  }
  if (!header) throw new TransferRefusedError('the file is empty')
  if (!end) throw new TransferRefusedError('the file is cut off: its end is missing')
  if (digest.digest('hex') !== end.sha256 || at - 2 !== end.records) {
    throw new TransferRefusedError('the file is not as it was written: its SHA-256 is another one')
  }
  return { header, end }
}

interface CheckedLogs {
  namespaces: readonly TransferNamespace[]
  /** Names of the namespaces whose newest checkpoint is signed by a key that this service does not have. */
  unknownKeys: readonly string[]
}

/** Recomputes the imported logs, and compares them with their checkpoints. Throws `TransferRefusedError` at a break. */
async function checkLogs({ signer }: { signer: Pick<NoteSigner, 'open'> }, tx: TransferWriter): Promise<CheckedLogs> {
  const namespaces = await tx.namespaces()
  const unknownKeys: string[] = []
  for (const namespace of namespaces) {
    const { id, name } = namespace
    // Nothing just imported is anchored here yet.
    const checkpoints = readKnownCheckpoints({ catalog: tx, anchor: noAnchor }, namespace)
    const signed = (await tx.auditTree.checkpoint(id, 'newest'))?.size ?? 0
    const { head, strayAt } = await tx.audit.end(id)
    const { last, broken } = await followChain(tx, namespace, { head, checkpoints, signed })
    const found = broken ?? checkEnd(last, head, strayAt)
    if (found) throw new TransferRefusedError(`the audit log of ${name} does not verify: ${found.reason}`)
    if ((await checkpoints.upTo(Number.MAX_SAFE_INTEGER)).length > 0) {
      throw new TransferRefusedError(
        `the audit log of ${name} does not verify: a checkpoint covers rows that are missing`,
      )
    }
    const newest = checkpoints.last.kept.at(-1)
    if (newest && signer.open(newest.note) === null) unknownKeys.push(name)
  }
  return { namespaces, unknownKeys }
}

/** Records the import in each log, as the first row by this service. Logs of deleted namespaces have ended. */
async function recordImport(
  { clock, random }: Pick<Bindings, 'clock' | 'random'>,
  tx: TransferWriter,
  { namespaces }: CheckedLogs,
  detail: AuditEntry['detail'],
): Promise<void> {
  const actor = { principalId: 'system', requestId: random.id('import') }
  for (const { id, name, deleted } of namespaces) {
    if (!deleted) await tx.append(id, auditEntry(actor, clock.now(), 'namespace.import', name, detail))
  }
}

/** Signs the checked logs with a checkpoint of this service. If that fails, the log is signed a little later. */
async function signLogs(
  { checkpoints, log }: Pick<Bindings, 'log'> & { checkpoints: Pick<Checkpoints, 'current'> },
  { namespaces }: CheckedLogs,
): Promise<void> {
  for (const namespace of namespaces) {
    if (namespace.deleted || !tiers[namespace.tier].audit) continue
    await checkpoints
      .current(namespace)
      .catch((err) => log.error({ err, namespace: namespace.name }, 'no checkpoint of an imported log was signed'))
  }
}

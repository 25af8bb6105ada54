import { type TransferCounts, TransferRefusedError } from '../../model/transfer.ts'
import type { TransferWriter } from '../../ports/catalog/transfer.ts'
import type { Checkpoints } from '../audit/checkpoints.ts'
import type { NoteSigner } from '../audit/note-signer.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Lines, readFileThrough } from './check-file.ts'
import { type CheckedLogs, checkLogs, recordImport, signLogs } from './imported-logs.ts'
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

export interface Imported extends CheckedLogs {
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

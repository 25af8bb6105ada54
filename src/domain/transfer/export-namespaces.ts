import { createHash } from 'node:crypto'
import { z } from 'zod'
import { auditEntry } from '../../model/audit.ts'
import {
  sourceBytes,
  sourceText,
  type TransferCounts,
  type TransferHeader,
  TransferRefusedError,
  transferFormat,
  transferVersion,
} from '../../model/transfer.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { sourceKey, textKey } from '../sources/purge-sources.ts'

type Deps = Pick<Bindings, 'catalog' | 'objects' | 'clock' | 'random'> & Pick<DomainSettings, 'version'>

export interface ExportOutput {
  /** Writes a piece of the file; the next one comes when it is done. */
  write(text: string): Promise<void>
  /** How many records were written so far. */
  progress?(records: number): void
}

export interface Exported {
  /** Names of the namespaces. */
  namespaces: readonly string[]
  counts: TransferCounts
  /** Uploaded sources whose bytes are missing. */
  withoutBytes: number
}

/** Bytes in one record, up to a chunk more. */
const pieceBytes = 2 ** 20

/**
 * Writes the live namespace of a name, or all namespaces (including deleted ones: their names stay reserved), from one
 * snapshot. The log of each live one records the export in its last row. Throws `TransferRefusedError` when there is
 * none.
 */
export async function exportNamespaces(deps: Deps, name: string | null, output: ExportOutput): Promise<Exported> {
  await recordExport(deps, name)
  return deps.catalog.transfer.read(name, async ({ namespaces, records }) => {
    if (namespaces.length === 0) throw nothingThere(name)
    const file = createFileWriter(output)
    let withoutBytes = 0
    const { version: service, clock, objects } = deps
    const header: TransferHeader = {
      format: transferFormat,
      version: transferVersion,
      service,
      time: clock.now(),
      namespaces: namespaces.map(({ id, name }) => ({ id, name })),
    }
    await file.header(header)
    await records(async (kind, rows) => {
      await file.records(kind, rows)
      if (kind !== 'source') return
      for (const source of rows.map((row) => sourceRecord.parse(JSON.parse(row)))) {
        if (source.purge_requested_at !== null) continue
        const copy = async (kind: string, key: string) => {
          const stored = await objects.open(key)
          for await (const piece of stored ? piecesOf(source, stored.stream) : []) await file.records(kind, [piece])
          return stored !== null
        }
        if (!(await copy(sourceBytes, sourceKey(source.namespace_id, source.id)))) withoutBytes += 1
        await copy(sourceText, textKey(source.namespace_id, source.id))
      }
    })
    return { namespaces: namespaces.map(({ name }) => name), counts: await file.end(), withoutBytes }
  })
}

const sourceRecord = z.object({
  namespace_id: z.string(),
  id: z.string(),
  purge_requested_at: z.number().nullable(),
})

const nothingThere = (name: string | null) =>
  new TransferRefusedError(name === null ? 'there are no namespaces' : `there is no namespace ${JSON.stringify(name)}`)

/** Written before the snapshot, so that the copy's log shows where it came from. */
async function recordExport({ catalog, clock, random }: Deps, name: string | null): Promise<void> {
  const live = (await catalog.transfer.namespaces(name)).filter(({ deleted }) => !deleted)
  const actor = { principalId: 'system', requestId: random.id('export') }
  for (const namespace of live) {
    const entry = auditEntry(actor, clock.now(), 'namespace.export', namespace.name, { all: name === null })
    await catalog.transact(namespace.id, (tx) => tx.audit(entry))
  }
}

type SourceId = z.output<typeof sourceRecord>

/** Records of about `pieceBytes` bytes each. */
async function* piecesOf(source: SourceId, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let held: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    held.push(chunk)
    length += chunk.length
    if (length < pieceBytes) continue
    yield pieceOf(source, Buffer.concat(held))
    held = []
    length = 0
  }
  if (length > 0) yield pieceOf(source, Buffer.concat(held))
}

const pieceOf = ({ namespace_id, id }: SourceId, bytes: Buffer) =>
  JSON.stringify({ namespace_id, id, data: bytes.toString('base64') })

/** Counts the written records, and computes the digest of the file. */
function createFileWriter({ write, progress }: ExportOutput) {
  const digest = createHash('sha256')
  const counts: Record<string, number> = {}
  let records = 0
  const add = async (text: string) => {
    digest.update(text)
    await write(text)
  }
  return {
    header: (header: TransferHeader) => add(`${JSON.stringify(header)}\n`),
    records: async (kind: string, rows: readonly string[]) => {
      await add(rows.map((row) => `{"${kind}":${row}}\n`).join(''))
      counts[kind] = (counts[kind] ?? 0) + rows.length
      records += rows.length
      progress?.(records)
    },
    end: async () => {
      await write(`${JSON.stringify({ end: { records, counts, sha256: digest.digest('hex') } })}\n`)
      return counts
    },
  }
}

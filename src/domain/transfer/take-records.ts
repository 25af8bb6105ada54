import { fieldsIn, type TransferCounts, TransferRefusedError } from '../../model/transfer.ts'
import type { TransferWriter } from '../../ports/catalog/transfer.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { isPiece, parsePiece, parseRecord, withUnitVector } from './records.ts'
import { createSourceTaker } from './take-sources.ts'

type Deps = Pick<Bindings, 'catalog' | 'objects'>

/** Records per insert: this number, or fewer if together they reach this length. */
const batchRecords = 500
const batchLength = 2 ** 20

/**
 * Takes the lines of records one by one and inserts them in batches, one kind at a time. `version` is that of the file.
 * Adds the keys of stored bytes to `stored`.
 */
export function createRecordTaker(deps: Deps, tx: TransferWriter, version: number, stored: string[]) {
  const known = [...deps.catalog.transfer.kinds]
  const kinds = new Map(known.map(([kind, fields]) => [kind, fieldsIn(version, kind, fields)]))
  const order = [...kinds.keys()]
  const sources = createSourceTaker(deps, tx, stored)
  const leftOut: Record<string, number> = {}
  let batch: string[] = []
  let length = 0
  let kind = order[0] ?? ''

  const flush = async () => {
    const records = batch
    batch = []
    length = 0
    await sources.end()
    if (records.length === 0) return
    const missing = await tx.insert(kind, records)
    if (missing > 0) leftOut[kind] = (leftOut[kind] ?? 0) + missing
  }

  return {
    take: async (line: string, at: number) => {
      const record = parseRecord(line, at, kinds)
      if (isPiece(record.kind)) {
        if (batch.length > 0) await flush()
        await sources.take(parsePiece(record.kind, record.json))
        return
      }
      if (order.indexOf(record.kind) < order.indexOf(kind)) {
        throw new TransferRefusedError(`line ${at} is not where its kind belongs`)
      }
      if (record.kind !== kind || batch.length === batchRecords || length > batchLength) await flush()
      kind = record.kind
      const json = kind === 'unit_vector' ? withUnitVector(record.json, at) : record.json
      batch.push(json)
      length += json.length
    },
    end: async (): Promise<TransferCounts> => {
      await flush()
      return leftOut
    },
    /** Ends what is being stored. */
    abandon: () => sources.abandon(),
  }
}

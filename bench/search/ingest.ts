import { httpRequest } from '../support/http-connection.ts'
import type { LoadGenerator } from '../support/load.ts'
import { idOf } from './brute-force.ts'
import { type Dataset, vectorBase64, vectorText } from './data.ts'

const unitsPerBatch = 500
/** Bodies are made in rounds of this size, before they are sent, so that the measurement excludes making them. */
const batchesPerRound = 20

/** What a Unit has beside its text, readers and vector. */
export type Fields = Record<string, unknown>

export interface IngestTarget {
  load: LoadGenerator
  origin: string
  token: string
  dataset: Dataset
  fieldsOf?: (unit: number) => Fields
}

/** How a batch writes its vectors. */
export type VectorForm = 'numbers' | 'base64'

export interface IngestRun {
  /** The first Unit, and the one after the last. */
  start: number
  end: number
  clients: number
  form: VectorForm
}

/** Ingests Units and waits for their indexing. Returns the time in seconds. */
export async function ingest(target: IngestTarget, { start, end, clients, form }: IngestRun): Promise<number> {
  const { load, origin } = target
  let seconds = 0
  for (let round = start; round < end; round += unitsPerBatch * batchesPerRound) {
    const requests: Uint8Array[] = []
    for (let i = round; i < Math.min(end, round + unitsPerBatch * batchesPerRound); i += unitsPerBatch) {
      requests.push(batch(target, i, Math.min(end, i + unitsPerBatch), form))
    }
    const limit = { count: requests.length }
    const timings = await load.run({ origin, requests, clients, limit, mustContain: '"indexed":true' })
    seconds += timings.seconds
  }
  return seconds
}

const written: Record<VectorForm, (vector: Float32Array) => string> = {
  numbers: vectorText,
  base64: (vector) => JSON.stringify(vectorBase64(vector)),
}

function batch(
  { origin, token, dataset, fieldsOf }: IngestTarget,
  start: number,
  end: number,
  form: VectorForm,
): Uint8Array {
  const units = Array.from({ length: end - start }, (_, i) => {
    const unit = start + i
    const fields = JSON.stringify({
      external_id: idOf(unit),
      text: dataset.text(unit),
      acl_groups: dataset.groups(unit),
      ...fieldsOf?.(unit),
    })
    return `${fields.slice(0, -1)},"vector":${written[form](dataset.vector(unit))}}`
  })
  const headers = { authorization: `Bearer ${token}`, 'x-svc-scope': 'bench/units' }
  return httpRequest(origin, { method: 'POST', path: '/v1/ingest', headers, body: `{"units":[${units.join(',')}]}` })
}

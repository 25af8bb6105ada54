import { jsonSize } from '../../slices/stringify-json.ts'

/** How much work of one principal runs at a time: a dozen of small searches, one of the longest ones. */
export const capacity = 24

const sizes = { query: 512, hits: 16, batch: 32 * 1024 }

/** A query is worth one for every so many characters, and for every so many hits that it asks for. */
export function weightOfQuery(input: unknown): number {
  const topK = typeof input === 'object' && input !== null && 'topK' in input ? Number(input.topK) : 10
  return 1 + jsonSize(input, capacity * sizes.query) / sizes.query + (topK > 0 ? topK : 0) / sizes.hits
}

/** A batch is worth one for every so many bytes. */
export const weightOfBatch = (input: unknown): number => 1 + jsonSize(input, capacity * sizes.batch) / sizes.batch

/** Of what is heavy whatever is sent: a page of texts, a deletion, a check of a log. */
export const heavy = capacity / 4

import type { SearchQuery } from '../../model/search.ts'
import { jsonSize } from '../../slices/stringify-json.ts'
import type { IngestInput } from '../units/unit-input.ts'

/** How much work of one principal runs at a time: a dozen of small searches, one of the longest ones. */
export const capacity = 24

const sizes = { query: 512, hits: 16, batch: 32 * 1024 }

/** A query is worth one for every so many characters, and for every so many hits that it asks for. */
export const weightOfQuery = (query: SearchQuery): number =>
  1 + jsonSize(query, capacity * sizes.query) / sizes.query + query.topK / sizes.hits

/** A batch is worth one for every so many bytes. */
export const weightOfBatch = (input: IngestInput): number => 1 + jsonSize(input, capacity * sizes.batch) / sizes.batch

/** Of what is heavy whatever is sent: a page of texts, a deletion, a check of a log. */
export const heavy = capacity / 4

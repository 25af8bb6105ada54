import type { SearchQuery } from '../../model/search.ts'
import { jsonSize } from '../../slices/stringify-json.ts'

/** How much work of one principal runs at a time: a dozen small searches, or one of the longest. */
export const capacity = 24

const sizes = { query: 512, hits: 16, batch: 32 * 1024 }

/**
 * A query weighs one, plus one per `sizes.query` characters, plus one per `sizes.hits` requested hits, plus one for each
 * further search that its answer may make.
 */
export const weightOfQuery = (query: SearchQuery): number =>
  1 + jsonSize(query, capacity * sizes.query) / sizes.query + query.topK / sizes.hits + furtherSearches(query)

const furtherSearches = ({ answer, agentic, maxSteps }: SearchQuery): number => (answer && agentic ? maxSteps - 1 : 0)

/** A batch weighs one, plus one per `sizes.batch` bytes. */
export const weightOfBatch = (input: object): number => 1 + jsonSize(input, capacity * sizes.batch) / sizes.batch

/** For work that is heavy with any input: a page of texts, a deletion, a check of a log. */
export const heavy = capacity / 4

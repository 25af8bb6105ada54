import type { Candidate, IndexFilter } from '../../ports/indexes/index-filter.ts'
import type { VectorQuery } from '../../ports/indexes/vector-index.ts'
import type { Answer, Ask } from './client.ts'
import { isAbsentNamespace, matches, retries, withRetries } from './client.ts'
import type { PlaneIndex } from './plane-index.ts'
import { filtersOf, type PineconeFilter, unitIdOf, valuesOf } from './records.ts'

/** Pinecone's limit of matches per query. */
const maxMatches = 10_000
/** The number of additional matches requested, since matches of nearly equal score have no fixed order. */
const slack = 10

/**
 * The nearest Units in the given indexes, best first, those of nearly equal score by their ids. Pinecone filters before
 * it scores, so hidden Units change no score. Its results are approximate, as in any index of that size.
 */
export async function searchIndexes(
  ask: Ask,
  indexes: readonly PlaneIndex[],
  query: VectorQuery,
  filter: IndexFilter,
  limit: number,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const filters = filtersOf(query, filter)
  const queries = indexes.flatMap((index) => {
    const vector = valuesOf(query.vector, index.dims)
    // Nothing is near a vector without a direction.
    return vector ? filters.map((one) => ({ index, vector, filter: one })) : []
  })
  const found = await Promise.all(queries.map((one) => nearest(ask, filter.namespaceId, one, limit, signal)))
  return bestOf(found.flat()).sort(byScore).slice(0, limit)
}

/** Each Unit once, by its nearest vector. */
function bestOf(found: readonly Candidate[]): Candidate[] {
  const best = new Map<string, Candidate>()
  for (const candidate of found) {
    const known = best.get(candidate.unitId)
    if (!known || candidate.score > known.score) best.set(candidate.unitId, candidate)
  }
  return [...best.values()]
}

const byScore = (a: Candidate, b: Candidate) => b.score - a.score || (a.unitId < b.unitId ? -1 : 1)

interface Asked {
  index: PlaneIndex
  vector: number[]
  filter: PineconeFilter
}

/** At least the `limit` nearest Units, and all others with the last one's score, up to Pinecone's limit. */
async function nearest(
  ask: Ask,
  namespace: string,
  { index, vector, filter }: Asked,
  limit: number,
  signal: AbortSignal,
): Promise<Candidate[]> {
  for (let topK = Math.min(maxMatches, limit + slack); ; topK = Math.min(maxMatches, topK * 4)) {
    const query = () =>
      ask(matches(namespace), signal, (pinecone) =>
        pinecone.index({ host: index.host, namespace }).query({ topK, vector, filter }),
      )
    const found = await candidatesOf(withRetries(retries.read, signal, query))
    const best = bestOf(found)
    const last = best.map(({ score }) => score).sort((a, b) => b - a)[limit - 1]
    const lowest = found.reduce((min, { score }) => Math.min(min, score), 1)
    const mayLack = found.length >= topK && (last === undefined || last === lowest)
    if (!mayLack || topK === maxMatches) return best
  }
}

async function candidatesOf(answer: Promise<Answer<{ matches: Match[] }>>): Promise<Candidate[]> {
  try {
    const { body } = await answer
    return body.matches.map(({ id, score }) => ({ unitId: unitIdOf(id), score: Math.min(1, Math.max(-1, score)) }))
  } catch (error) {
    if (isAbsentNamespace(error)) return []
    throw error
  }
}

interface Match {
  id: string
  score: number
}

import { mayRead } from '../../model/acl.ts'
import type { SearchQuery, SearchResult } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import { type ContextView, describeContext } from '../access/describe-context.ts'
import { require } from '../access/require.ts'
import type { Bindings } from '../deps.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { parse } from '../input/parse.ts'
import type { QueryCounter } from '../stats/query-counter.ts'
import { legWeights } from './fuse.ts'
import { type Plan, plan, unlimited } from './plan.ts'
import { retrieve } from './retrieve.ts'
import { searchInput } from './search-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'inference' | 'log'> & {
  indexer: Indexer
  queries: QueryCounter
}

export interface SearchAnswer extends SearchResult {
  context: ContextView
}

/** Hybrid search. Errors: 400 for an invalid query, 403 without `read`. */
export async function search(deps: Deps, session: Session, input: unknown): Promise<SearchAnswer> {
  const started = performance.now()
  const query = parse(searchInput, input) as SearchQuery
  const bound = query.scope !== undefined && !session.scopeWasRequested ? session.withScope(query.scope) : session
  require(bound, 'read')
  const { namespace, requestId } = bound
  await deps.indexer.ready(namespace.id)
  const made = plan(bound, query)
  const [seq, indexSeq] = await Promise.all([
    deps.catalog.changes.headSeq(namespace.id),
    deps.indexer.cursor(namespace.id).catch(() => 0),
  ])
  const [{ hits, found }, hiddenByAcl] = await Promise.all([retrieve(deps, made), countHidden(deps, bound, made)])
  deps.queries.count(namespace.id)
  return {
    hits: hits.map(({ unit, score, explain }, i) => ({
      ...unit,
      score,
      explain,
      rank: i + 1,
      highlights: deps.texts.highlights(query.q, unit.text ?? ''),
    })),
    hiddenByAcl,
    context: describeContext(bound),
    trace: {
      requestId,
      planes: made.planes,
      clampedPlanes: made.clampedPlanes,
      legs: found.legs.map((leg) => leg.trace),
      fusion: {
        method: 'weighted-minmax',
        weights: Object.fromEntries(found.legs.map((leg) => [leg.name, legWeights[leg.kind]])),
      },
      rerank: rerankNote(bound, query),
      seq,
      indexSeq,
      degraded: found.degraded,
      tookMs: performance.now() - started,
    },
  }
}

/** How many of the `topK` that a caller without ACL limits would get are closed to this one. */
async function countHidden(deps: Deps, session: Session, made: Plan): Promise<number> {
  if (session.reader === 'unlimited') return 0
  const visibility = { namespaceId: session.namespace.id, scopeIds: made.scopeIds, reader: session.reader }
  if ((await deps.catalog.units.countHidden(visibility, made.planes)) === 0) return 0
  const { hits } = await retrieve(deps, unlimited(made))
  return hits.filter(({ unit }) => !mayRead(session.reader, unit.acl)).length
}

function rerankNote(session: Session, { rerank }: SearchQuery): string {
  if (!rerank) return 'off'
  return tiers[session.namespace.tier].rerank ? 'unavailable' : 'ignored: not part of the tier'
}

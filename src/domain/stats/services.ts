import type { Session } from '../../model/session.ts'
import { type BackgroundTask, onceARound } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { catalogStats } from './catalog-stats.ts'
import { createQueryCounter } from './query-counter.ts'

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'clock' | 'inference' | 'formerInference'> & {
  indexer: Indexer
}

export function createStats(bound: Deps) {
  const queries = createQueryCounter(bound.catalog.usage, bound.clock)
  const deps = { ...bound, queries }
  const tasks: BackgroundTask[] = [onceARound('write query counts', queries.flush)]
  return { queries, tasks, servicesFor: (session: Session) => ({ catalogStats: () => catalogStats(deps, session) }) }
}

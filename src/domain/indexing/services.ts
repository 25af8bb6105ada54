import type { Session } from '../../model/session.ts'
import type { BackgroundTask } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import { compact, compactionStatus } from './compaction.ts'
import type { CompactionInput } from './compaction-input.ts'
import { createIndexer, feedsOf } from './indexer.ts'

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'clock' | 'inference' | 'log'> & { turns: Turns }

export function createIndexing(bound: Deps) {
  const indexer = createIndexer(bound, feedsOf(bound))
  const deps = { ...bound, indexer }
  const resumeIndexing: BackgroundTask = {
    name: 'resume indexing',
    run: async () => {
      await indexer.resume()
      return 0
    },
  }
  return {
    indexer,
    tasks: [resumeIndexing],
    servicesFor: (session: Session) => ({
      status: () => compactionStatus(deps, session),
      run: (input: CompactionInput) => bound.turns.writing(session, heavy, () => compact(deps, session, input)),
    }),
  }
}

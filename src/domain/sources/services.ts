import type { Session } from '../../model/session.ts'
import { createBackgroundWork } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Turns } from '../turns/turns.ts'
import { heavy } from '../turns/weights.ts'
import { createSource } from './create-source.ts'
import { purgeSources } from './purge-sources.ts'
import type { SourceInput } from './source-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'objects' | 'clock' | 'random' | 'log'> & {
  maxSourceBytes: number
  turns: Turns
}

export const createSources = (deps: Deps) => ({
  // Separate, so that a store that hangs does not block anything else.
  purging: createBackgroundWork([purgeSources(deps)], deps.log),
  servicesFor: (session: Session) => ({
    createSource: (input: SourceInput) => deps.turns.writing(session, heavy, () => createSource(deps, session, input)),
  }),
})

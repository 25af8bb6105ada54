import type { PageRange } from '../../model/page.ts'
import type { Session } from '../../model/session.ts'
import type { BackgroundWork } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import type { ScopeChanges } from './scope-input.ts'
import { createScope, deleteScope, getScope, listScopes } from './scopes.ts'
import { updateScope } from './update-scope.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & { background: BackgroundWork; turns: Turns }

export const createScopes = (deps: Deps) => (session: Session) => ({
  // Without a range it may be long.
  list: async (range?: PageRange) =>
    range === undefined
      ? deps.turns.answering(session, heavy, async () => listScopes(session))
      : listScopes(session, range),
  get: (path: string) => getScope(session, path),
  create: (path: string) => createScope(deps, session, path),
  update: (path: string, changes: ScopeChanges) => updateScope(deps, session, path, changes),
  delete: (path: string) => deleteScope(deps, session, path),
})

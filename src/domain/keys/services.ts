import type { PageRange } from '../../model/page.ts'
import type { Session } from '../../model/session.ts'
import { type BackgroundTask, onceARound } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { KeyInput } from './key-input.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'identity'> & { brand: string }

export function createKeys(deps: Deps) {
  /** Writes the time of last use of keys, outside the requests that used them. */
  const recordUses = async () => {
    const uses = deps.identity.takeUses()
    if (uses.length > 0) await deps.catalog.tokens.recordUses(uses)
  }
  const tasks: BackgroundTask[] = [onceARound('record uses of keys', recordUses)]
  return {
    recordUses,
    tasks,
    servicesFor: (session: Session) => ({
      list: (range?: PageRange) => listKeys(deps, session, range),
      create: (input: KeyInput) => createKey(deps, session, input),
      revoke: (id: string) => revokeKey(deps, session, id),
    }),
  }
}

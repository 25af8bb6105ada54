import type { Session } from '../../model/session.ts'
import type { BackgroundTask } from '../background/background.ts'
import { heavy } from '../turns/turns.ts'
import type { DeleteInput } from './delete-input.ts'
import { deleteUnits } from './delete-units.ts'
import { ingest } from './ingest.ts'
import { listUnits, readUnit } from './read-units.ts'
import { restoreUnits } from './restore-units.ts'
import type { IngestInput, UnitChanges, UnitsInput } from './unit-input.ts'
import { updateUnit } from './update-unit.ts'

type Deps = Parameters<typeof ingest>[0] & Parameters<typeof deleteUnits>[0] & Parameters<typeof readUnit>[0]

export function createUnits(deps: Deps) {
  const { catalog, turns } = deps
  const eraseDeleted: BackgroundTask = {
    name: 'erase what was hard-deleted',
    run: async () => {
      await catalog.eraseDeleted?.()
      return 0
    },
  }
  return {
    tasks: [eraseDeleted],
    servicesFor: (session: Session) => ({
      list: (page: UnitsInput) => turns.answering(session, heavy, () => listUnits(deps, session, page)),
      get: (unitId: string) => turns.answering(session, 1, () => readUnit(deps, session, unitId)),
      ingest: (input: IngestInput) => ingest(deps, session, input),
      update: (unitId: string, changes: UnitChanges) => updateUnit(deps, session, unitId, changes),
      delete: (input: DeleteInput) => turns.writing(session, heavy, () => deleteUnits(deps, session, input)),
      restore: (ids: readonly string[]) => turns.writing(session, heavy, () => restoreUnits(deps, session, ids)),
    }),
  }
}

import { planes } from '../../model/unit.ts'
import { type BackgroundWork, createBackgroundWork } from '../background/background.ts'
import { withClusterLock } from '../background/with-cluster-lock.ts'
import { changeModels } from './change-models.ts'
import { embedPending } from './embed-pending.ts'

type Deps = Parameters<typeof embedPending>[0] & Parameters<typeof changeModels>[0]

export const createEmbedding = (deps: Deps) => ({
  tasks: [withClusterLock(deps.catalog, embedPending(deps))],
  /** Separate, so that the hours of work of one plane do not block anything else. */
  modelChanges: planes.map(
    (plane): BackgroundWork =>
      createBackgroundWork([withClusterLock(deps.catalog, changeModels(deps, plane))], deps.log),
  ),
})

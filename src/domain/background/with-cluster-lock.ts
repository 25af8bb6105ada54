import type { Catalog } from '../../ports/catalog.ts'
import type { BackgroundTask } from './background.ts'

/** One replica at a time: what costs calls of a provider is not to be done by each of them. */
export const withClusterLock = (catalog: Pick<Catalog, 'withClusterLock'>, task: BackgroundTask): BackgroundTask => ({
  name: task.name,
  run: async (stopping) => {
    if (!catalog.withClusterLock) return task.run(stopping)
    // Another one is at it: nothing is left to do here.
    return (await catalog.withClusterLock(task.name, () => task.run(stopping))) ?? 0
  },
})

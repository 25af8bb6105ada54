import type { Catalog } from '../../ports/catalog/catalog.ts'
import type { BackgroundTask } from './background.ts'

/** Runs the task on one replica at a time: replicas must not repeat costly provider calls. */
export const withClusterLock = (catalog: Pick<Catalog, 'withClusterLock'>, task: BackgroundTask): BackgroundTask => ({
  name: task.name,
  run: async (stopping) => {
    if (!catalog.withClusterLock) return task.run(stopping)
    // Another replica runs it: there is nothing to do here.
    return (await catalog.withClusterLock(task.name, () => task.run(stopping))) ?? 0
  },
})

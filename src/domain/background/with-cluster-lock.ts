import type { Catalog } from '../../ports/catalog.ts'
import type { UpkeepTask } from './background.ts'

/** One replica at a time: what costs calls of a provider is not to be done by each of them. */
export const alone = (catalog: Pick<Catalog, 'alone'>, task: UpkeepTask): UpkeepTask => ({
  name: task.name,
  run: async (stopping) => {
    if (!catalog.alone) return task.run(stopping)
    // Another one is at it: nothing is left to do here.
    return (await catalog.alone(task.name, () => task.run(stopping))) ?? 0
  },
})

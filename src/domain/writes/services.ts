import type { Bindings } from '../bindings/bindings.ts'
import { createWrite } from './create-write.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'log'>

export function createWrites(deps: Deps) {
  const { catalog, clock } = deps
  return {
    write: createWrite(deps),
    tasks: [{ name: 'remove answers whose keys ran out', run: () => catalog.kept.removeExpired(clock.now()) }],
  }
}

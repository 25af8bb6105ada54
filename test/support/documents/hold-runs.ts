import type { TestApp } from '../boot.ts'

/** Runs wait until they are released. */
export function holdRuns({ runtime }: TestApp): () => void {
  const { objects } = runtime.bindings
  const { open } = objects
  const held = Promise.withResolvers<void>()
  objects.open = async (...args) => {
    await held.promise
    return open(...args)
  }
  return () => {
    objects.open = open
    held.resolve()
  }
}

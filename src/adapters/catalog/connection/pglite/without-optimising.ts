import v8 from 'node:v8'

/** Only the function of this number may be optimised, and no module has as many. */
export const optimiseNothing = '--wasm-tier-up-filter=99999999'

/**
 * V8 decides whether it will optimise a function of WebAssembly when it first compiles it, at its first call. Those that are first
 * called until the returned function is called, in any thread, stay as they are for good.
 */
export function stopOptimising(): () => void {
  v8.setFlagsFromString(optimiseNothing)
  return () => v8.setFlagsFromString('--wasm-tier-up-filter=-1')
}

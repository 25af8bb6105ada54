import v8 from 'node:v8'

/**
 * V8 decides whether it will optimise a function of WebAssembly when it first compiles it, at its first call. Those that are first
 * called while this runs, in any thread, stay as they are for good.
 */
export async function withoutOptimising<T>(work: () => Promise<T>): Promise<T> {
  const resume = stopOptimising()
  return work().finally(resume)
}

/** Until the returned function is called. */
export function stopOptimising(): () => void {
  // Only the function of this number may be optimised, and no module has as many.
  v8.setFlagsFromString('--wasm-tier-up-filter=99999999')
  return () => v8.setFlagsFromString('--wasm-tier-up-filter=-1')
}

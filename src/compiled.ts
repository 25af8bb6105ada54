import { mkdirSync } from 'node:fs'
import module from 'node:module'

/**
 * Keeps modules compiled in a directory, those of threads as well, so that the next start is faster. Without access to
 * the directory nothing is kept. NODE_COMPILE_CACHE names another one.
 */
export function keepCompiled(directory: string): void {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch {
    // What needs the data directory says what is wrong with it.
    return
  }
  // Node 20 has none.
  module.enableCompileCache?.(directory)
  // Threads inherit it.
  process.env.NODE_COMPILE_CACHE = directory
}

import { existsSync, mkdirSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { beginAgain } from './begin-again.ts'
import { defaultDataDir } from './settings/data-dir.ts'

type Environment = Readonly<Record<string, string | undefined>>

const folderIn = (dataDir: string): string => join(dataDir, 'compiled')

/** Uses what an earlier start has compiled, from the first module on. Before the settings are read, which takes many modules. */
export function takeCompiled(env: Environment): void {
  const folder = folderIn(env.DATA_DIR || defaultDataDir)
  if (env.NODE_COMPILE_CACHE !== undefined || existsSync(folder)) beginAgain(env, folder)
}

/**
 * Keeps modules compiled in the data directory, those of threads as well, so that the next start is faster. Without access to
 * the directory nothing is kept. NODE_COMPILE_CACHE names another one.
 */
export function keepCompiled(env: Environment, dataDir: string): void {
  const folder = folderIn(dataDir)
  try {
    if (env.NODE_COMPILE_CACHE === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    // What needs the data directory says what is wrong with it.
    return
  }
  beginAgain(env, folder)
  if (env.NODE_COMPILE_CACHE !== undefined) return
  // Node 20 has none.
  module.enableCompileCache?.(folder)
  // Threads inherit it.
  process.env.NODE_COMPILE_CACHE = folder
}

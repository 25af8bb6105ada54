import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../temp-dir.ts'

/** A file system in memory, small enough to fill. */
export interface SmallDisk {
  path: string
  /** Fills it to the last byte. */
  fill(): void
  /** Frees the space that `fill` used. */
  empty(): void
  [Symbol.asyncDispose](): Promise<void>
}

export function mountTmpfs(size: string): SmallDisk {
  const { path, remove } = tempDir('small-disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'pipe' })
  const filler = join(path, 'filler')
  return {
    path,
    fill: () => {
      const file = openSync(filler, 'a')
      for (const bytes of [2 ** 20, 4096, 1]) appendUntilFull(file, Buffer.alloc(bytes))
      closeSync(file)
    },
    empty: () => rmSync(filler, { force: true }),
    [Symbol.asyncDispose]: async () => {
      execFileSync('umount', ['-l', path])
      remove()
    },
  }
}

function appendUntilFull(file: number, bytes: Buffer): void {
  try {
    while (writeSync(file, bytes) > 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}

/** Mounting requires root, and more permissions than that in most containers. */
export const canMount = await (async () => {
  try {
    await mountTmpfs('1m')[Symbol.asyncDispose]()
    return true
  } catch {
    return false
  }
})()

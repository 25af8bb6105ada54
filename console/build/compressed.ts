import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/**
 * Writes `<asset>.br` and `<asset>.gz` beside each asset: the service compresses nothing while it answers. Tables of characters
 * are dense already.
 */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const folder = join(dir, 'assets')
      for (const name of await readdir(folder)) {
        if (name.endsWith('.bcmap')) continue
        const path = join(folder, name)
        const bytes = await readFile(path)
        await Promise.all([writeFile(`${path}.br`, await brotli(bytes)), writeFile(`${path}.gz`, await zip(bytes))])
      }
    },
  }
}

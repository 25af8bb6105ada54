import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'

const names = ['.gitignore', '.ingestignore']

/** The patterns of a folder's ignore files. `folder` is its path below the root, with a slash at the end, or empty. */
export interface IgnoreRules {
  folder: string
  patterns: Ignore
}

/** Null for a folder without ignore files. Throws for one that cannot be read: what it names must not get out. */
export async function readIgnoreFiles(path: string, folder: string): Promise<IgnoreRules | null> {
  const texts: string[] = []
  for (const name of names) {
    const file = join(path, name)
    const stat = await lstat(file).catch(absent)
    if (stat?.isFile()) texts.push((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''))
  }
  return texts.length === 0 ? null : { folder, patterns: ignore({ ignorecase: false }).add(texts.join('\n')) }
}

/** As git decides it: the pattern of the deepest folder counts, and there the last one. */
export function isIgnored(rules: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
  for (const { folder, patterns } of rules.toReversed()) {
    const { ignored, unignored } = patterns.test(path.slice(folder.length) + (isFolder ? '/' : ''))
    if (ignored || unignored) return ignored
  }
  return false
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

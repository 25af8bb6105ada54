import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { matchesAny } from './globs.ts'
import { type IgnoreRules, isIgnored, readIgnoreFiles } from './ignore-files.ts'
import type { Root } from './roots.ts'
import { sidecarOf } from './sidecars.ts'

/** Something below a PATH that gets a line. A folder is there only if it is `unreadable`. */
export interface Found {
  /** With `/`, beginning with the base name of PATH. */
  file: string
  /** Absolute. */
  path: string
  kind: 'file' | 'symlink' | 'special' | 'unreadable'
  /** Absolute path of the text beside a picture or recording. */
  sidecar: string | null
}

export interface Selection {
  include: readonly string[]
  exclude: readonly string[]
  ignoreFiles: boolean
  /** Absolute path of the ledger. */
  ledger: string
}

export interface Walked {
  found: Found[]
  /** At least one file is there, though it may be left out. */
  holdsFile: boolean
}

/** What a PATH holds, by name. Symbolic links below it are not followed. */
export async function walk(root: Root, selection: Selection): Promise<Walked> {
  const walked: Walked = { found: [], holdsFile: false }
  if (root.isFolder) await walkFolder(root, selection, walked, '', [])
  else await takeFile(root, selection, walked)
  return walked
}

async function takeFile({ path, base }: Root, selection: Selection, walked: Walked): Promise<void> {
  walked.holdsFile = true
  if (path === selection.ledger || !isSelected(selection, base)) return
  const folder = join(path, '..')
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const sidecar = sidecarOf(base, new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name)))
  walked.found.push({ file: base, path, kind: 'file', sidecar: sidecar && join(folder, sidecar) })
}

const isSelected = ({ include, exclude }: Selection, path: string) =>
  !matchesAny(exclude, path) && (include.length === 0 || matchesAny(include, path))

async function walkFolder(
  root: Root,
  selection: Selection,
  walked: Walked,
  below: string,
  outer: readonly IgnoreRules[],
): Promise<void> {
  const folder = join(root.path, below)
  const file = (path: string) => `${root.base}/${path}`
  const read = await readFolder(folder, below, selection).catch(() => null)
  if (read === null) {
    walked.found.push({
      file: below === '' ? root.base : file(below.slice(0, -1)),
      path: folder,
      kind: 'unreadable',
      sidecar: null,
    })
    return
  }
  const rules = read.rules ? [...outer, read.rules] : outer
  const kept: Entry[] = []
  for (const entry of read.entries) {
    const path = below + entry.name
    const isFolder = entry.kind === 'folder'
    walked.holdsFile ||= entry.kind === 'file' && join(folder, entry.name) !== selection.ledger
    if (isIgnored(rules, path, isFolder)) continue
    if (isFolder ? matchesAny(selection.exclude, path) : !isSelected(selection, path)) continue
    kept.push(entry)
  }
  const names = new Set(read.entries.filter(({ kind }) => kind === 'file').map(({ name }) => name))
  const sidecars = new Map(kept.map(({ name, kind }) => [name, kind === 'file' ? sidecarOf(name, names) : null]))
  const taken = new Set(sidecars.values())
  for (const { name, kind } of kept) {
    const path = join(folder, name)
    if (kind === 'folder') await walkFolder(root, selection, walked, `${below}${name}/`, rules)
    else if (!taken.has(name) && path !== selection.ledger) {
      const sidecar = sidecars.get(name)
      walked.found.push({ file: file(below + name), path, kind, sidecar: sidecar ? join(folder, sidecar) : null })
    }
  }
}

interface Entry {
  name: string
  kind: Found['kind'] | 'folder'
}

/** By name, without names that begin with a dot. */
async function readFolder(path: string, below: string, { ignoreFiles }: Selection) {
  const rules = ignoreFiles ? await readIgnoreFiles(path, below) : null
  const listed = await readdir(path, { withFileTypes: true })
  const shown = listed.filter(({ name }) => !name.startsWith('.')).sort((a, b) => (a.name < b.name ? -1 : 1))
  const entries = await Promise.all(
    shown.map(async (entry): Promise<Entry> => ({ name: entry.name, kind: await kindOf(entry) })),
  )
  return { rules, entries }
}

async function kindOf(entry: Dirent): Promise<Entry['kind']> {
  const known = kindFrom(entry)
  if (known !== 'special') return known
  // Some file systems do not say it in the listing.
  const stat = await lstat(join(entry.parentPath, entry.name)).catch(() => null)
  return stat ? kindFrom(stat) : 'special'
}

type Kinds = Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>

function kindFrom(entry: Kinds): Entry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'symlink' : 'special'
}

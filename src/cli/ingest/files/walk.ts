import type { Dirent } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, matchesGlob } from 'node:path'
import type { Ignore } from 'ignore'
import ignore from 'ignore'
import { z } from 'zod'
import { UsageError } from '../../program/command.ts'
import type { Root } from './roots.ts'

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

interface Walked {
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
  const sidecar = await sidecarOf(
    folder,
    base,
    new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name)),
  )
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
  const sidecars = new Map<string, string | null>()
  for (const { name, kind } of kept) sidecars.set(name, kind === 'file' ? await sidecarOf(folder, name, names) : null)
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

export interface Files {
  found: Found[]
  /** What each PATH holds. */
  roots: (Walked & { root: Root })[]
}

/** Throws a `UsageError` for two files of one name: they would be one document. */
export async function findFiles(roots: readonly Root[], selection: Selection): Promise<Files> {
  const walked: Files['roots'] = []
  for (const root of roots) walked.push({ root, ...(await walk(root, selection)) })
  const found = walked.flatMap((one) => one.found)
  const paths = new Map<string, string>()
  for (const { file, path } of found) {
    const other = paths.get(file)
    // Names that are not UTF-8 read alike: nothing can be at their path, and each is unreadable.
    if (other !== undefined && other !== path)
      throw new UsageError(`two files are ${file}: ${other} and ${path}; take them in one at a time`)
    paths.set(file, path)
  }
  return { found, roots: walked }
}

/**
 * Whether a path below a folder matches one of the globs, or lies in a folder that does. A glob without a slash is a
 * name at any depth.
 */
function matchesAny(globs: readonly string[], path: string): boolean {
  const names = path.split('/')
  return globs.some((glob) => {
    const plain = glob.replace(/^(\.?\/)+/, '').replace(/\/+$/, '')
    const anchored = plain.includes('/') || /^\.?\//.test(glob)
    return names.some((name, i) => matchesGlob(anchored ? names.slice(0, i + 1).join('/') : name, plain))
  })
}

const names = ['.gitignore', '.ingestignore']

/** The patterns of a folder's ignore files. `folder` is its path below the root, with a slash at the end, or empty. */
interface IgnoreRules {
  folder: string
  patterns: Ignore
}

/** Null for a folder without ignore files. Throws for one that cannot be read: what it names must not get out. */
async function readIgnoreFiles(path: string, folder: string): Promise<IgnoreRules | null> {
  const texts: string[] = []
  for (const name of names) {
    const file = join(path, name)
    const stat = await lstat(file).catch(absent)
    if (stat?.isFile()) texts.push((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''))
  }
  return texts.length === 0 ? null : { folder, patterns: ignore({ ignorecase: false }).add(texts.join('\n')) }
}

/** As git decides it: the pattern of the deepest folder counts, and there the last one. */
function isIgnored(rules: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
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

const pictures = 'png jpg jpeg jpe gif webp avif bmp tif tiff heic heif jxl'
const recordings = 'mp3 wav m4a ogg oga opus flac aac wma aif aiff mp4 m4v mov webm mkv avi mpg mpeg ogv'
const media = new Set(`${pictures} ${recordings}`.split(' '))

/** Whether texts beside a file of this name belong to it. */
export const mayHaveSidecar = (name: string): boolean =>
  media.has(/[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '')

/** The name of a file's sidecar among the names in its folder; null if it has none. */
async function sidecarOf(folder: string, name: string, names: ReadonlySet<string>): Promise<string | null> {
  if (!mayHaveSidecar(name)) return null
  const stem = name.slice(0, name.lastIndexOf('.'))
  for (const candidate of [`${name}.txt`, `${name}.json`, `${stem}.txt`, `${stem}.json`]) {
    if (!names.has(candidate)) continue
    if (candidate.endsWith('.txt') || (await isSidecar(join(folder, candidate)))) return candidate
  }
  return null
}

/** Text beside a picture or recording is no longer than this. Bytes. */
const maxSidecar = 2 ** 20

/** Whether JSON is `{text, title, metadata}`, with at least one of them. Any other is a file of its own. */
async function isSidecar(path: string): Promise<boolean> {
  try {
    if ((await lstat(path)).size > maxSidecar) return false
    return sidecarShape.safeParse(JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''))).success
  } catch {
    return false
  }
}

const sidecarShape = z
  .strictObject({ text: z.string(), title: z.string(), metadata: z.record(z.string(), z.unknown()) })
  .partial()
  .refine((sidecar) => Object.keys(sidecar).length > 0)

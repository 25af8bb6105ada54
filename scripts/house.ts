/**
 * How much of the code one has to read: its size, the files torn out of a neighbour, what a commit touches, and the files whose
 * code runs in a request. `npm run house [-- --json] [--size] [--files search] [--commits 400]`; `--size` leaves out the requests,
 * `--files` lists the files of one.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readArguments } from '../bench/support/arguments.ts'
import { printTable } from '../bench/support/table.ts'
import { type Run, runOperations } from './house/operations.ts'

const { values } = readArguments({
  options: {
    json: { type: 'boolean' },
    size: { type: 'boolean' },
    files: { type: 'string' },
    commits: { type: 'string', default: '400' },
  },
})
const git = (...args: string[]) =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
    .trim()
    .split('\n')

const files = git('ls-files', 'src').filter((file) => file.endsWith('.ts') && existsSync(file))
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
const linesOf = (file: string) => (texts.get(file) ?? '').split('\n').length - 1

const importers = importersOf()
const size = sizeOf(files)
const tornOut = filesTornOut()
const commits = commitSizes(Number(values.commits))
const operations = values.size ? [] : (await runOperations()).map(countsOf)
if (values.json) console.log(JSON.stringify({ size, tornOut, commits, operations }, null, 2))
else print()

function print(): void {
  const row = (name: string, value: string | number) => [name, value.toLocaleString('en')]
  printTable(
    'src',
    ['', ''],
    [
      row('files', size.files),
      row('lines', size.lines),
      row('lines of a file: median / p90 / max', `${size.median} / ${size.p90} / ${size.max}`),
      row('files with one importer, in the same folder', tornOut.files),
      row('lines of them', tornOut.lines),
      row(`source files a commit touches, of the last ${commits.commits}: median`, commits.median),
      row('commits that touch one', `${commits.ofOneFile} %`),
    ],
  )
  printTable(
    'Files with one importer, in the same folder',
    ['folder', 'files', 'lines'],
    tornOut.folders.map(({ folder, files, lines }) => [folder, `${files}`, `${lines}`]),
  )
  if (operations.length === 0) return
  printTable(
    'Files of src whose code runs in one request',
    ['operation', 'files', 'lines of them'],
    operations.map(({ name, files, lines }) => [name, `${files}`, lines.toLocaleString('en')]),
  )
  if (values.files === undefined) return
  const listed = operations.find(({ name }) => name === values.files)
  if (listed === undefined) throw new Error(`unknown operation: ${values.files}`)
  printTable(
    `Files of ${listed.name}`,
    ['file', 'lines', 'imported by'],
    listed.names.map((file) => [file, `${linesOf(file)}`, `${importers.get(file)?.size ?? 0}`]),
  )
}

function sizeOf(files: readonly string[]) {
  const lines = files.map(linesOf).sort((a, b) => a - b)
  const sum = lines.reduce((total, one) => total + one, 0)
  return { files: files.length, lines: sum, median: at(lines, 0.5), p90: at(lines, 0.9), max: at(lines, 1) }
}

function importersOf() {
  const importers = new Map(files.map((file) => [file, new Set<string>()]))
  for (const [file, text] of texts) {
    for (const [, path = ''] of text.matchAll(/(?:from|import\(|import|new URL\()\s*'(\.[^']+)'/g)) {
      importers.get(join(dirname(file), path))?.add(file)
    }
  }
  return importers
}

/** Files that only one other imports, and that one stands beside them: nobody reads one without the other. */
function filesTornOut() {
  const torn = files.filter((file) => {
    const [only, ...others] = importers.get(file) ?? []
    return only !== undefined && others.length === 0 && dirname(only) === dirname(file)
  })
  const byFolder = Map.groupBy(torn, (file) => file.split('/').slice(1, -1).slice(0, 2).join('/') || 'src')
  const folders = [...byFolder]
    .map(([folder, of]) => ({ folder, files: of.length, lines: of.reduce((sum, file) => sum + linesOf(file), 0) }))
    .sort((a, b) => b.files - a.files)
  return { files: torn.length, lines: folders.reduce((sum, { lines }) => sum + lines, 0), folders, names: torn }
}

/** Of the last commits that touch a file of src. */
function commitSizes(count: number) {
  const log = git('log', '--no-merges', `-n${count}`, '--format=format:commit', '--name-only', '--', 'src/*.ts')
  const counts: number[] = []
  for (const line of log) {
    if (line === 'commit') counts.push(0)
    else if (line !== '') counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1
  }
  counts.sort((a, b) => a - b)
  const ofOneFile = Math.round((100 * counts.filter((count) => count === 1).length) / counts.length)
  return { commits: counts.length, median: at(counts, 0.5), ofOneFile }
}

function countsOf({ name, files }: Run) {
  const sum = files.reduce((total, file) => total + linesOf(file), 0)
  return { name, files: files.length, lines: sum, names: files }
}

/** A quantile of sorted numbers. */
function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

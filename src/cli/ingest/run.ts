import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stampOf } from './files/read-file.ts'
import { docIdOf, type Root } from './files/roots.ts'
import { type Files, type Found, findFiles } from './files/walk.ts'
import type { Ledger, LedgerLine } from './report/ledger.ts'
import { type Counts, count, type Output } from './report/output.ts'
import { type Document, deleteDocuments } from './service/documents.ts'
import { lineOf, type Run, takeFile } from './take-file.ts'

export interface Round extends Run {
  roots: readonly Root[]
  ledger: Ledger
  output: Output
  counts: Counts
  /** PATHs that were reported because they hold no file. */
  empty: Set<string>
  stop: AbortSignal
  /** By path, what the file and its sidecar were like when it was last taken in. */
  taken: Map<string, string>
}

/** Takes in what has changed since the round before; in the first round everything. False if a PATH holds no file. */
export async function runRound(round: Round, { found, roots }: Files): Promise<boolean> {
  const { output, taken, options, stop } = round
  const due = await changed(taken, found)
  const done = { files: 0, bytes: 0 }
  const all = { files: due.length, bytes: due.reduce((sum, { bytes }) => sum + bytes, 0) }
  const isFirst = taken.size === 0
  if (isFirst) output.progress(done, all)
  await inPool(due, options, stop, async ({ found, stamp, bytes }) => {
    for (const line of await takeFile(round, found)) report(round, line)
    taken.set(found.path, stamp)
    done.files += 1
    done.bytes += bytes
    if (isFirst) output.progress(done, all)
  })
  return options.deleteMissing === 'no' || deleteMissing(round, roots)
}

async function changed(taken: ReadonlyMap<string, string>, found: readonly Found[]) {
  const due: { found: Found; stamp: string; bytes: number }[] = []
  for (const one of found) {
    const file = await stampIn(one.path)
    const stamp = `${one.kind} ${file.stamp} ${one.sidecar === null ? '' : (await stampIn(one.sidecar)).stamp}`
    if (taken.get(one.path) !== stamp) due.push({ found: one, stamp, bytes: one.kind === 'file' ? file.bytes : 0 })
  }
  return due
}

const stampIn = (path: string): Promise<{ stamp: string; bytes: number }> =>
  stat(path, { bigint: true }).then(
    (found) => ({ stamp: stampOf(found), bytes: Number(found.size) }),
    () => ({ stamp: 'unreadable', bytes: 0 }),
  )

function report({ ledger, output, counts }: Round, line: LedgerLine): void {
  ledger.append(line)
  count(counts, line)
  output.line(line)
}

/** How many documents a request deletes. */
const perRequest = 100

async function deleteMissing(round: Round, roots: Files['roots']): Promise<boolean> {
  const { client, known, options, output } = round
  const empty = roots.filter(({ holdsFile }) => !holdsFile)
  for (const { root } of empty) {
    if (!round.empty.has(root.path)) output.problem(`${root.path} holds no file: nothing of it is deleted`)
    round.empty.add(root.path)
  }
  for (const { root } of roots.filter(({ root, holdsFile }) => root.isFolder && holdsFile)) {
    const missing = await missingFrom(root, known.values())
    for (let at = 0; at < missing.length; at += perRequest) {
      const batch = missing.slice(at, at + perRequest)
      const documents = batch.map(({ document }) => document)
      await deleteDocuments(client, documents, options.deleteMissing === 'hard')
      for (const { file, document } of batch) {
        known.delete(document.docId)
        report(round, lineOf(round, { file }, { status: 'deleted' }, document))
      }
    }
  }
  return empty.length === 0
}

const watchMs = 1_500

/** Runs rounds until it is stopped. */
export async function watch(round: Round): Promise<void> {
  const { stop } = round
  while (!stop.aborted) {
    await pause(watchMs, stop)
    if (stop.aborted) return
    await runRound(round, await findFiles(round.roots, round.options))
  }
}

const pause = (ms: number, stop: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, ms)
    stop.addEventListener('abort', end, { once: true })
  })

/** Documents below a folder whose file is not on disk: neither that, nor anything else, may be in its place. */
export async function missingFrom(
  root: Root,
  documents: Iterable<Document>,
): Promise<{ file: string; document: Document }[]> {
  const missing: { file: string; document: Document }[] = []
  for (const document of documents) {
    const file = fileOf(document)
    if (document.parent !== null || file === null || !file.startsWith(`${root.base}/`)) continue
    const below = file.slice(root.base.length + 1)
    if (below.split('/').some((name) => name === '' || name === '.' || name === '..')) continue
    if (await isGone(join(root.path, below))) missing.push({ file, document })
  }
  return missing
}

/** Null where only the hash of the path is known. */
function fileOf({ docId, name }: Document): string | null {
  if (!docId.startsWith('sha256:')) return docId
  return docIdOf(name) === docId ? name : null
}

async function isGone(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch (error) {
    // Anything else, such as a folder that can't be read, says nothing about the file.
    return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  }
}

/** Runs `work` on each item, in order. After an error, or when it is stopped, no more is begun; the error is thrown. */
async function inPool<T>(
  items: readonly T[],
  { concurrency }: { concurrency: number },
  stop: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const errors: unknown[] = []
  const worker = async () => {
    for (const item of left) {
      if (errors.length > 0 || stop.aborted) return
      await work(item).catch((error: unknown) => errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  if (errors.length > 0) throw errors[0]
}

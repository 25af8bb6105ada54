import { type Command, type Environment, reasonOf } from '../program/command.ts'
import { digestOf } from './files/read-file.ts'
import { docIdOf, findRoots, type Root } from './files/roots.ts'
import { type Files, type Found, findFiles } from './files/walk.ts'
import { type Options, readOptions } from './options.ts'
import { openLedger } from './report/ledger.ts'
import { createOutput, noCounts, type Output, type Preview, previewText, summary } from './report/output.ts'
import { missingFrom, type Round, runRound, watch } from './run.ts'
import { AwayError, type Client, createClient, scopeOf } from './service/client.ts'
import { type Document, isOwn, listDocuments } from './service/documents.ts'
import { isFoundAs } from './take-file.ts'

const exitCodes = { done: 0, failed: 1, notBegun: 2 } as const

/** `ingest PATH…`: returns the exit code. */
async function ingest(args: readonly string[], env: Environment): Promise<number> {
  const started = performance.now()
  const options = await readOptions(args, env)
  const roots = await findRoots(options.paths)
  const files = await findFiles(roots, options)
  const client = createClient(options.service, Date.now)
  const clientIn = (scope: string) => createClient({ ...options.service, scope }, Date.now)
  const scope = await scopeOf(client, options.service.scope, clientIn)
  const known = await knownBelow(client, scope, roots, files)
  const output = createOutput(process.stdout, process.stderr, options, () => performance.now())
  const tookMs = () => Math.round(performance.now() - started)
  if (options.dryRun) return previewAll(options, files, known, output, tookMs)

  const ledger = openLedger(options.ledger)
  const counts = noCounts()
  const stop = new AbortController()
  if (options.watch) process.once('SIGINT', () => stop.abort())
  const round: Round = {
    ...{ client, options, scope, known, roots, ledger, output, counts, now: Date.now, lastLine: ledger.last },
    ...{ taken: new Map(), empty: new Set(), stop: stop.signal },
  }
  let isWhole = false
  try {
    isWhole = await runRound(round, files)
    if (options.watch) {
      if (!options.json) output.text(summary(counts))
      await watch(round)
    }
  } catch (error) {
    if (counts.files === 0) throw error
    isWhole = false
    output.problem(`ingest: ${reasonOf(error)}`)
  } finally {
    output.end()
    ledger.close()
  }
  output.text(options.json ? JSON.stringify({ ...counts, took_ms: tookMs() }) : summary(counts))
  return isWhole && counts.failed === 0 ? exitCodes.done : exitCodes.failed
}

/** The caller's documents below the PATHs, by docId. */
async function knownBelow(
  client: Client,
  scope: string,
  roots: readonly Root[],
  { found }: Files,
): Promise<Map<string, Document>> {
  const isLong = found.some(({ file }) => file.length > 64)
  const prefixes = new Set([...roots.map(({ base, isFolder }) => (isFolder ? `${base}/` : base)), 'sha256:'])
  if (!isLong) prefixes.delete('sha256:')
  const known = new Map<string, Document>()
  for (const prefix of prefixes) {
    const listed = await listDocuments(client, scope, prefix.slice(0, 128))
    for (const one of listed.filter(isOwn)) known.set(one.docId, one)
  }
  return known
}

async function previewAll(
  options: Options,
  files: Files,
  known: ReadonlyMap<string, Document>,
  output: Output,
  tookMs: () => number,
): Promise<number> {
  const counts = { files: 0, new: 0, changed: 0, unchanged: 0, missing: 0, skipped: 0, failed: 0 }
  const tell = (one: Preview) => {
    counts.files += 1
    counts[one.status] += 1
    if (!options.json) output.text(previewText(one))
  }
  for (const found of files.found) tell(await preview(options, known, found))
  for (const { root, holdsFile } of files.roots) {
    if (!root.isFolder || !holdsFile) continue
    for (const { file } of await missingFrom(root, known.values())) tell({ status: 'missing', file })
  }
  if (options.json) output.text(JSON.stringify({ ...counts, took_ms: tookMs() }))
  return counts.failed === 0 ? exitCodes.done : exitCodes.failed
}

const codeOf = (error: unknown) => (error instanceof AwayError && error.waited ? exitCodes.failed : exitCodes.notBegun)

export const command: Command = { name: 'ingest', run: ingest, codeOf }

/** A picture or recording may be `changed` by the text beside it: only the service knows that text. */
async function preview(options: Options, known: ReadonlyMap<string, Document>, found: Found): Promise<Preview> {
  const { file, path, kind } = found
  if (kind === 'unreadable') return { status: 'failed', file, reason: kind }
  if (kind !== 'file') return { status: 'skipped', file, reason: kind }
  const digest = await digestOf(path).catch(() => null)
  if (digest === null) return { status: 'failed', file, reason: 'unreadable' }
  if (digest.bytes === 0) return { status: 'skipped', file, reason: 'empty' }
  const document = known.get(docIdOf(file))
  if (!document) return { status: 'new', file }
  return { status: !options.force && isFoundAs(options, found, document, digest) ? 'unchanged' : 'changed', file }
}

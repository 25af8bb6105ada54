import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { charsetOf } from '../../model/charset.ts'
import { RefusedError } from '../../model/operator-error.ts'
import { ChangingError, type Digest, digestOf } from './files/read-file.ts'
import { docIdOf, nameOf } from './files/roots.ts'
import { type Found, mayHaveSidecar } from './files/walk.ts'
import type { Options } from './options.ts'
import type { LedgerLine } from './report/ledger.ts'
import type { Client } from './service/client.ts'
import {
  type Document,
  ingestDocument,
  isSkipped,
  retryAttachments,
  settled,
  settledAttachments,
  within,
} from './service/documents.ts'
import { upload } from './service/upload.ts'

export interface Run {
  client: Client
  options: Options
  scope: string
  now: () => number
  /** The caller's documents, by docId, as of the last answer. */
  known: Map<string, Document>
  lastLine(file: string): LedgerLine | undefined
}

/** How often a file is read that changes meanwhile, and how long it is left alone before it is read again. */
const tries = { max: 3, pauseMs: 500 }

/** Takes a file in. Returns its line, and one for each of its attachments that failed. */
export async function takeFile(run: Run, found: Found): Promise<LedgerLine[]> {
  if (found.kind === 'unreadable') return [lineOf(run, found, { status: 'failed', reason: 'unreadable' })]
  if (found.kind !== 'file') return [lineOf(run, found, { status: 'skipped', reason: found.kind })]
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt(run, found)
    } catch (error) {
      if (isOfSystem(error)) return [lineOf(run, found, { status: 'failed', reason: 'unreadable' })]
      if (error instanceof RefusedError && isOfFile(error)) {
        const reason = error.code === 'bad_request' && /^bytes\b/.test(error.message) ? 'too_large' : error.code
        return [lineOf(run, found, { status: 'failed', reason, detail: error.message })]
      }
      if (!(error instanceof ChangingError)) throw error
      if (tried === tries.max) return [lineOf(run, found, { status: 'failed', reason: 'changing' })]
      await sleep(tries.pauseMs)
    }
  }
}

async function attempt(run: Run, found: Found): Promise<LedgerLine[]> {
  const digest = await digestOf(found.path)
  if (digest.bytes === 0) return [lineOf(run, found, { status: 'skipped', reason: 'empty', ...digest })]
  const known = await knownOf(run, found)
  const last = run.lastLine(found.file)
  if (known && !run.options.force && isSkipped(known) && isSame(last, known, digest)) {
    return [lineOf(run, found, { status: 'skipped', reason: known.reason, detail: known.detail, ...digest }, known)]
  }
  if (known && isUnchanged(run, found, known, digest)) return unchanged(run, found, known, digest)
  const sent = await send(run, found, known, digest)
  run.known.set(sent.docId, sent)
  const status = known && !run.options.force && sent.updatedAt === known.updatedAt ? 'unchanged' : 'ok'
  return result(run, found, sent, digest, status)
}

const isSame = (last: LedgerLine | undefined, known: Document, { sha256 }: Digest) =>
  last?.status === 'skipped' && last.sha256 === sha256 && last.document_id === known.documentId

/** What the service has of a file, when a run that an earlier call began has ended. */
async function knownOf(run: Run, { file }: Found): Promise<Document | undefined> {
  const known = run.known.get(docIdOf(file))
  const ended = known && (await settled(run.client, known))
  if (ended) run.known.set(ended.docId, ended)
  return ended
}

/** Whether nothing needs to be sent. Of a picture or recording, only the service knows the text beside it. */
function isUnchanged({ options }: Pick<Run, 'options'>, found: Found, known: Document, digest: Digest): boolean {
  return !options.force && !mayHaveSidecar(found.file) && isFoundAs(options, found, known, digest)
}

/** The Units found are of these bytes, groups and metadata. */
export function isFoundAs(
  { groups, metadata }: Options,
  { file }: Found,
  known: Document,
  { sha256 }: Digest,
): boolean {
  if (known.status !== 'ready' || known.sha256 !== sha256) return false
  const open = groups.includes('*') && known.aclGroups.includes('*')
  return (open || sameSet(known.aclGroups, groups)) && sameFields(known.metadata, { path: nameOf(file), ...metadata })
}

const sameSet = (a: readonly string[], b: readonly string[]) =>
  [...a, ...b].every((one) => a.includes(one) && b.includes(one))

const sameFields = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, string>>) =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => a[key] === b[key])

async function unchanged(run: Run, found: Found, known: Document, digest: Digest): Promise<LedgerLine[]> {
  const attachments = within(known, [...run.known.values()])
  const failed = attachments.filter((one) => one.status === 'failed' && !isSkipped(one))
  if (failed.length === 0 && attachments.every(({ status }) => status === 'ready' || status === 'failed')) {
    const units = unitsOf([known, ...attachments])
    return [lineOf(run, found, { status: 'unchanged', units, ...digest }, known)]
  }
  await retryAttachments(run.client, failed)
  return result(run, found, known, digest, 'unchanged')
}

/** Bytes that the service has are not sent again: their source is named. */
async function send(run: Run, found: Found, known: Document | undefined, digest: Digest): Promise<Document> {
  const { client, options, scope } = run
  const { force, groups, metadata } = options
  const { file, path } = found
  const sidecar = found.sidecar === null ? undefined : await readSidecar(found.sidecar)
  const held = known?.sha256 === digest.sha256 ? known.sourceUri : null
  const rest = { name: nameOf(file), scope, docId: docIdOf(file), aclGroups: groups, metadata, sidecar, force }
  const ingest = async (sourceUri: string) => settled(client, await ingestDocument(client, { sourceUri, ...rest }))
  const uploaded = async () => ingest(await upload(client, path, basename(path).slice(-255).toWellFormed(), digest))
  if (held === null) return uploaded()
  return ingest(held).catch((error: unknown) => {
    // Its source went with its last Unit since it was listed.
    if (error instanceof RefusedError && /^sourceUri\b/.test(error.message)) return uploaded()
    throw error
  })
}

/** A file that vanishes here is the file's own change. */
async function readSidecar(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new ChangingError() : error
  })
  return new TextDecoder(charsetOf(bytes) ?? 'utf-8').decode(bytes)
}

async function result(
  run: Run,
  found: Found,
  sent: Document,
  digest: Digest,
  status: 'ok' | 'unchanged',
): Promise<LedgerLine[]> {
  const { reason, detail } = sent
  if (sent.status === 'failed') {
    const ended = isSkipped(sent) ? 'skipped' : 'failed'
    return [lineOf(run, found, { status: ended, reason, detail, units: sent.units, ...digest }, sent)]
  }
  const attachments = await settledAttachments(run.client, sent)
  for (const one of attachments) run.known.set(one.docId, one)
  const failed = attachments.filter((one) => one.status === 'failed' && !isSkipped(one))
  return [
    lineOf(run, found, { status, units: unitsOf([sent, ...attachments]), ...digest }, sent),
    ...failed.map((one) => ({
      ...lineOf(run, found, { status: 'failed', reason: one.reason, detail: one.detail }, one),
      file: found.file + one.docId.slice(sent.docId.length),
    })),
  ]
}

const unitsOf = (documents: readonly Document[]) => documents.reduce((sum, { units }) => sum + units, 0)

type Fate = Pick<LedgerLine, 'status'> & Partial<LedgerLine>

export const lineOf = (
  { now, scope }: Pick<Run, 'now' | 'scope'>,
  { file }: Pick<Found, 'file'>,
  { status, ...fate }: Fate,
  document?: Document,
): LedgerLine => ({
  file,
  doc_id: document?.docId ?? docIdOf(file),
  document_id: document?.documentId ?? null,
  scope,
  status,
  reason: null,
  detail: null,
  units: 0,
  bytes: null,
  sha256: null,
  time: now(),
  ...fate,
})

const isOfSystem = (error: unknown) => error instanceof Error && 'syscall' in error

/** Refusals that say nothing about the files after this one. */
const isOfFile = ({ code }: RefusedError) =>
  ['bad_request', 'quota_exceeded', 'upgrade_required', 'not_found', 'internal_error'].includes(code)

import { createHash, webcrypto } from 'node:crypto'
import { InvalidInputError, notFound, ServiceError, sourceStoreUnavailable } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { Namespace } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { OperationName } from '../../operations/operations.ts'
import type { SourceRow, UploadRow } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import { tokenHash } from '../access/tokens.ts'
import { type BackgroundWork, createBackgroundWork } from '../background/background.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import { type Inspection, inspect } from './content-type.ts'
import { purgeSources, removeUnnamed, sourceKey } from './purge-sources.ts'
import type { SourceInput, SourceLinkInput, UploadInput } from './source-input.ts'
import { createSourceLink, linkSession, openLink } from './source-links.ts'

export interface Source {
  sourceUri: string
  mime: string
  bytes: number
  sha256: string
  name: string | null
  /** Epoch milliseconds. */
  createdAt: number
}

type Deps = Bindings & DomainSettings & { turns: Turns }

/** The bytes are whole in memory, several times over: larger ones need an upload link. */
const maxBytes = 10 * 2 ** 20

/** Stores a raw source for the namespace; Units refer to it by the returned `sourceUri`. Needs `write`. */
async function createSource(deps: Deps, session: Session, { data, mime, ...input }: SourceInput): Promise<Source> {
  const name = input.name ?? null
  const limit = Math.min(deps.maxSourceBytes, maxBytes)
  if (data.length > limit) throw new InvalidInputError(['data'], `must be at most ${limit} bytes`)
  admit(session, 'createSource')
  const id = deps.random.id('source')
  const source = {
    uri: `source://${id}`,
    mime,
    bytes: data.length,
    // Runs in another thread.
    sha256: Buffer.from(await webcrypto.subtle.digest('SHA-256', data)).toString('hex'),
  }
  // Store the bytes first: a record must not exist without them.
  await deps.objects.put(sourceKey(session.namespace.id, id), data).catch((err: unknown) => {
    if (err instanceof ServiceError) throw err
    deps.log.error({ err }, 'a source could not be stored')
    throw sourceStoreUnavailable()
  })
  const inspection = inspect()
  inspection.take(data)
  const content = await inspection.contentType({ mime, name })
  const now = deps.clock.now()
  return deps.catalog.transact(session.namespace.id, async (tx) => {
    await tx.sources.insert({ ...source, id, content, ...madeBy(session), name, createdAt: now, byLink: false })
    await tx.audit(
      auditEntry(session, now, 'source.create', source.uri, { bytes: source.bytes, sha256: source.sha256 }),
    )
    const { uri, ...facts } = source
    return { sourceUri: uri, ...facts, name, createdAt: now }
  })
}

/** 404 for one that the caller did not upload, or that is gone. */
async function ownSource({ catalog }: Deps, { namespace, principalId }: Session, sourceUri: string) {
  const source = await catalog.documents.source(namespace.id, sourceUri, principalId)
  if (!source) throw notFound('no such source: the URI must be that of a source that you uploaded')
  return source
}

async function readSource(deps: Deps, session: Session, sourceUri: string): Promise<Source> {
  admit(session, 'source')
  const { id: _, uri, ...facts } = await ownSource(deps, session, sourceUri)
  return { sourceUri: uri, ...facts }
}

/** Removes the bytes of a source that nothing names any more. False, and it stays, while a Unit or document names it. */
async function deleteSource(deps: Deps & { purging: BackgroundWork }, session: Session, sourceUri: string) {
  admit(session, 'deleteSource')
  const { id, uri } = await ownSource(deps, session, sourceUri)
  const now = deps.clock.now()
  const deleted = await deps.catalog.transact(session.namespace.id, async (tx) => {
    const isRemoved = (await tx.sources.purgeUnnamed([id], now)) > 0
    if (isRemoved) await tx.audit(auditEntry(session, now, 'source.delete', uri, {}))
    return isRemoved
  })
  if (deleted) deps.purging.kick()
  return { sourceUri: uri, deleted }
}

const madeBy = ({ principalId, facts }: Session) => ({ createdBy: principalId, uploadedWith: facts.keyHash ?? null })

const linkMs = 10 * 60_000

function uploadOptions({ parser, maxSourceBytes }: Deps, session: Session) {
  admit(session, 'uploadOptions')
  return { maxBytes: maxSourceBytes, formats: parser.formats }
}

/** Makes a link that takes the bytes of one source by PUT. Errors: 400, 403 without `write`. */
async function createUpload(deps: Deps, session: Session, input: UploadInput) {
  if (input.bytes > deps.maxSourceBytes) {
    throw new InvalidInputError(['bytes'], `must be at most ${deps.maxSourceBytes}`)
  }
  admit(session, 'createUpload')
  const { principalId, facts } = session
  const expiresAt = Math.min(deps.clock.now() + linkMs, facts.keyExpiresAt ?? Number.POSITIVE_INFINITY)
  const secret = deps.random.base62(32)
  const { bytes, sha256 = null, mime = null, name = null } = input
  const made = { hash: tokenHash(secret), principalId, keyHash: facts.keyHash ?? null, expiresAt }
  return deps.catalog.transact(session.namespace.id, async (tx) => {
    await tx.sources.insertUpload({ ...made, bytes, sha256: sha256?.toLowerCase() ?? null, mime, name })
    return { url: `${deps.publicOrigin ?? ''}/uploads/${secret}`, expiresAt }
  })
}

interface SentBytes {
  /** As the request declares it; null if it does not. */
  length: number | null
  chunks(): AsyncIterable<Uint8Array>
}

const operation: OperationName = 'createUpload'

/** Receives uploads, one at a time for each link. */
function createUploadReceiver(deps: Deps) {
  /** Links with a PUT under way in this process. */
  const busy = new Set<string>()

  /**
   * Stores the bytes. Null for a link that is unknown, used, expired or under way, or whose maker may not upload any more.
   * Errors: 400 for other bytes than were said, 503 `source_store_unavailable`; then nothing is kept.
   */
  return async (secret: string, sent: SentBytes, requestId: string): Promise<Source | null> => {
    const hash = tokenHash(secret)
    if (busy.has(hash)) return null
    busy.add(hash)
    try {
      const { withClusterLock } = deps.catalog
      const work = () => receive(deps, hash, sent, requestId)
      return withClusterLock ? await withClusterLock(`upload ${hash}`, work) : await work()
    } finally {
      busy.delete(hash)
    }
  }
}

async function receive(deps: Deps, hash: string, sent: SentBytes, requestId: string): Promise<Source | null> {
  const { catalog, clock, random } = deps
  const upload = await catalog.sourceLinks.upload(hash)
  if (!upload || upload.expiresAt <= clock.now()) return null
  const session = await linkSession(deps, upload, operation, requestId)
  if (!session) return null
  if (sent.length !== null && sent.length !== upload.bytes) throw wrongSize(upload.bytes)
  const id = random.id('source')
  // Each attempt has its own id: after a crash nobody takes its bytes for those of the next one.
  if (!(await catalog.sourceLinks.beginUpload(hash, id))) return null
  const source = await store(deps, upload, id, sent)
  // It may have taken long: rights may have ended meanwhile.
  const still = await linkSession(deps, upload, operation, requestId)
  const isKept = still !== null && (await keep(deps, still, hash, source))
  if (isKept) {
    const { uri, mime, bytes, sha256, name, createdAt } = source
    return { sourceUri: uri, mime, bytes, sha256, name, createdAt }
  }
  await deps.objects.delete(sourceKey(upload.namespace.id, id))
  return null
}

async function store(
  { objects, clock, log }: Deps,
  upload: UploadRow & { namespace: Namespace },
  id: string,
  sent: SentBytes,
): Promise<SourceRow> {
  const { bytes, name, principalId, keyHash, namespace } = upload
  const inspection = inspect()
  const checked = checkBytes(sent.chunks(), upload, inspection)
  await objects.putStream(sourceKey(namespace.id, id), checked.chunks, bytes).catch((err: unknown) => {
    if (checked.problem() !== null) throw checked.problem()
    if (err instanceof ServiceError) throw err
    log.error({ err }, 'a source could not be stored')
    throw sourceStoreUnavailable()
  })
  const content = await inspection.contentType(upload)
  return {
    ...{ id, uri: `source://${id}`, mime: content.type, bytes, sha256: checked.sha256(), name, content },
    ...{ createdBy: principalId, createdAt: clock.now(), uploadedWith: keyHash, byLink: true },
  }
}

/** False when another PUT was faster. */
const keep = ({ catalog, clock }: Deps, session: Session, hash: string, source: SourceRow): Promise<boolean> =>
  catalog.transact(session.namespace.id, async (tx) => {
    if (!(await tx.sources.endUpload(hash, source.id))) return false
    await tx.sources.insert(source)
    const { uri, bytes, sha256 } = source
    await tx.audit(auditEntry(session, clock.now(), 'source.create', uri, { bytes, sha256 }))
    return true
  })

interface CheckedBytes {
  chunks: AsyncIterable<Uint8Array>
  /** Hex; known after the last chunk. */
  sha256(): string
  /** The error of the sender, if there was one. */
  problem(): unknown
}

/**
 * Passes bytes on, and throws a 400 naming `bytes` or `sha256` when they are not as they were said to be. The last chunk
 * is held back until then, so that nobody takes wrong bytes for whole ones.
 */
function checkBytes(
  sent: AsyncIterable<Uint8Array>,
  said: { bytes: number; sha256: string | null },
  inspection: Inspection,
): CheckedBytes {
  const hash = createHash('sha256')
  let digest = ''
  let problem: unknown = null

  async function* checked(): AsyncGenerator<Uint8Array> {
    let passed = 0
    let last: Uint8Array | null = null
    for await (const chunk of sent) {
      passed += chunk.byteLength
      if (passed > said.bytes) throw wrongSize(said.bytes)
      if (last) yield last
      hash.update(chunk)
      inspection.take(chunk)
      last = chunk
    }
    if (passed < said.bytes) throw wrongSize(said.bytes)
    digest = hash.digest('hex')
    if (said.sha256 !== null && digest !== said.sha256) {
      throw new InvalidInputError(['sha256'], 'must be the SHA-256 of the bytes that are sent')
    }
    if (last) yield last
  }

  async function* noting(): AsyncGenerator<Uint8Array> {
    try {
      yield* checked()
    } catch (error) {
      problem = error
      throw error
    }
  }

  return { chunks: noting(), sha256: () => digest, problem: () => problem }
}

const wrongSize = (bytes: number) =>
  new InvalidInputError(['bytes'], `the upload must have exactly ${bytes} bytes, as its link was made for`)

export const createSources = (given: Deps) => {
  // Separate, so that a store that hangs does not block anything else.
  const purging = createBackgroundWork([removeUnnamed(given), purgeSources(given)], given.log)
  const deps = { ...given, purging }
  return {
    purging,
    /** Stores what an upload link takes; null for an invalid link. */
    receiveUpload: createUploadReceiver(deps),
    /** Opens the source that a link leads to; null for an invalid one. */
    openSource: (secret: string, requestId: string) => openLink(deps, secret, requestId),
    servicesFor: (session: Session) => ({
      createSource: (input: SourceInput) =>
        deps.turns.writing(session, heavy, () => createSource(deps, session, input)),
      uploadOptions: () => uploadOptions(deps, session),
      createUpload: (input: UploadInput) => createUpload(deps, session, input),
      source: (sourceUri: string) => readSource(deps, session, sourceUri),
      deleteSource: (sourceUri: string) => deleteSource(deps, session, sourceUri),
      sourceLink: (input: SourceLinkInput) =>
        deps.turns.reading(session, heavy, () => createSourceLink(deps, session, input)),
    }),
  }
}

import { createHash } from 'node:crypto'
import { noSuchSource, ServiceError, sourceStoreUnavailable } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { ByteRange } from '../../model/object-key.ts'
import type { Namespace } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { OperationName } from '../../operations/operations.ts'
import type { ContentType, Rendition, StoredSource } from '../../ports/catalog.ts'
import { admit, keySessionOf } from '../access/gate.ts'
import { tokenHash } from '../access/tokens.ts'
import { findUnit, visibilityOf } from '../access/visibility.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { inspect, servedAs } from './content-type.ts'
import { sourceKey, textKey } from './purge-sources.ts'
import type { SourceLinkInput } from './source-input.ts'

type RenditionsDeps = Pick<Bindings, 'catalog' | 'objects' | 'log'>

/** A form of a source that can be read. */
export interface OpenRendition {
  content: ContentType
  name: string | null
  bytes: number
  sha256: string
  stream(range?: ByteRange): AsyncIterable<Uint8Array>
}

const plainText: ContentType = { type: 'text/plain', charset: 'utf-8' }

/**
 * The rendition of a source. Null if the source has none, or its bytes are gone. `known` are the size and the hash that
 * an earlier call found. Errors: 503 `source_store_unavailable`.
 */
export async function openRendition(
  deps: RenditionsDeps,
  namespaceId: string,
  source: StoredSource,
  rendition: Rendition,
  known?: { bytes: number; sha256: string },
): Promise<OpenRendition | null> {
  const { name, bytes, sha256 } = source
  const store = reader(deps)
  const key = sourceKey(namespaceId, source.id)
  if ((await store.size(key)) === null) return null
  const original = (range?: ByteRange) => store.read(key, range)
  const content = source.content ?? (await look(deps, namespaceId, source, original()))
  if (rendition === 'original') return { content, name, bytes, sha256, stream: original }
  const measured = async (text: () => AsyncIterable<Uint8Array>) =>
    known ? { bytes: known.bytes, sha256: known.sha256 } : measure(text())
  const kept = textKey(namespaceId, source.id)
  const size = await store.size(kept)
  if (size !== null) {
    const text = (range?: ByteRange) => store.read(kept, range)
    const facts = await measured(text)
    return facts.bytes === size ? { content: plainText, name: name && `${name}.txt`, ...facts, stream: text } : null
  }
  if (content.charset === null || content.type === 'text/html') return null
  const { charset } = content
  const text = (range?: ByteRange) => within(decoded(original(), charset), range)
  return { content: plainText, name, ...(await measured(text)), stream: text }
}

/** Reads whose failures are 503. */
function reader({ objects, log }: RenditionsDeps) {
  const failed = (err: unknown): never => {
    if (err instanceof ServiceError) throw err
    log.error({ err }, 'a source could not be read')
    throw sourceStoreUnavailable()
  }
  return {
    size: async (key: string) => (await objects.open(key).catch(failed))?.bytes ?? null,
    async *read(key: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
      const opened = await objects.open(key, range).catch(failed)
      if (!opened) throw sourceStoreUnavailable()
      try {
        yield* opened.stream
      } catch (err) {
        failed(err)
      }
    },
  }
}

/** For a source that was stored before its content was looked at. */
async function look(
  { catalog }: RenditionsDeps,
  namespaceId: string,
  { id, name }: StoredSource,
  chunks: AsyncIterable<Uint8Array>,
): Promise<ContentType> {
  const inspection = inspect()
  for await (const chunk of chunks) inspection.take(chunk)
  const content = await inspection.contentType({ mime: null, name })
  await catalog.sources.setContent(namespaceId, id, content)
  return content
}

async function measure(chunks: AsyncIterable<Uint8Array>): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    hash.update(chunk)
    bytes += chunk.byteLength
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** As UTF-8 without a BOM. */
async function* decoded(chunks: AsyncIterable<Uint8Array>, charset: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(charset)
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield Buffer.from(text)
  }
  const rest = decoder.decode()
  if (rest !== '') yield Buffer.from(rest)
}

async function* within(chunks: AsyncIterable<Uint8Array>, range?: ByteRange): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const chunk of chunks) {
    const from = at
    at += chunk.byteLength
    const part = range ? chunk.subarray(Math.max(0, range.start - from), Math.max(0, range.end + 1 - from)) : chunk
    if (part.byteLength > 0) yield part
    if (range && at > range.end) return
  }
}

type Deps = LinkDeps & Pick<Bindings, 'objects' | 'random' | 'log'> & Pick<DomainSettings, 'publicOrigin' | 'audit'>

const linkMs = 5 * 60_000

/**
 * Makes a link that serves the source of a Unit. A Unit that is hidden or unknown, one without a kept source, and a
 * rendition that does not exist give the same 404. Errors: also 503 `source_store_unavailable`.
 */
export async function createSourceLink(deps: Deps, session: Session, { unitId: asked, rendition }: SourceLinkInput) {
  admit(session, 'sourceLink')
  const { catalog, clock, random, publicOrigin } = deps
  const { principalId, facts, namespace } = session
  const unit = await findUnit(catalog, session, asked)
  const source = unit && (await catalog.sources.ofUnit(namespace.id, unit.unitId))
  const opened = source && (await openRendition(deps, namespace.id, source, rendition))
  if (!unit || !source || !opened) throw noSuchSource()
  const { bytes, sha256, name, content } = opened
  const now = clock.now()
  const expiresAt = Math.min(now + linkMs, facts.keyExpiresAt ?? Number.POSITIVE_INFINITY)
  const secret = random.base62(32)
  const { unitId } = unit
  const made = { hash: tokenHash(secret), principalId, keyHash: facts.keyHash ?? null, expiresAt }
  await catalog.transact(namespace.id, async (tx) => {
    await tx.sources.insertLink({ ...made, unitId, sourceId: source.id, rendition, bytes, sha256 })
    await tx.audit(auditEntry(session, now, 'source.link', unitId, { source_uri: source.uri, rendition }))
  })
  const url = `${publicOrigin ?? ''}/sources/${secret}`
  return { url, expiresAt, mime: content.type, bytes, sha256, name, inline: servedAs(content).inline }
}

interface ServedSource {
  name: string
  contentType: string
  inline: boolean
  bytes: number
  /** Hex. */
  sha256: string
  /** Reads nothing until the first chunk is taken. */
  stream(range?: ByteRange): AsyncIterable<Uint8Array>
}

const operation: OperationName = 'sourceLink'

/**
 * Checks everything again that was checked when the link was made. Null for a link that is unknown or expired, or that
 * its maker could not make any more. The log has a row of the first use.
 */
export async function openLink(deps: Deps, secret: string, requestId: string): Promise<ServedSource | null> {
  const { catalog, clock, audit } = deps
  const hash = tokenHash(secret)
  const link = await catalog.sourceLinks.sourceLink(hash)
  if (!link || link.expiresAt <= clock.now()) return null
  const session = await linkSession(deps, link, operation, requestId)
  const unit = session && (await catalog.units.get(visibilityOf(session, 'read'), link.unitId))
  const source = unit && (await catalog.sources.ofUnit(link.namespace.id, link.unitId))
  if (!session || source?.id !== link.sourceId) return null
  const opened = await openRendition(deps, link.namespace.id, source, link.rendition, link)
  if (!opened) return null
  const isRecorded = audit.reads !== 'off' && tiers[session.namespace.tier].audit
  if (isRecorded && !link.used) {
    const { rendition, unitId } = link
    const entry = auditEntry(session, clock.now(), 'source.read', unitId, { source_uri: source.uri, rendition })
    await catalog.transact(session.namespace.id, async (tx) => {
      if (await tx.sources.useLink(hash, entry.time)) await tx.audit(entry)
    })
  }
  const { content, name, bytes, sha256, stream } = opened
  return { ...servedAs(content), name: name ?? source.id, bytes, sha256, stream }
}

export type LinkDeps = Pick<Bindings, 'catalog' | 'clock'> & Pick<DomainSettings, 'superAdminToken'>

interface LinkMaker {
  principalId: string
  keyHash: string | null
  namespace: Namespace
}

/** The present rights of a link's maker, with the restrictions of its key. Null if it may not do the operation any more. */
export async function linkSession(
  deps: LinkDeps,
  { principalId, keyHash, namespace }: LinkMaker,
  operation: OperationName,
  requestId: string,
): Promise<Session | null> {
  const found = await keySessionOf(deps, { principalId, keyHash }, namespace.name, requestId)
  if (!found || found.facts.isDeleted) return null
  const session = found.with({ requestedScope: '*' })
  try {
    admit(session, operation)
    return session
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') return null
    throw error
  }
}

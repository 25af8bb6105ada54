import { createHash } from 'node:crypto'
import { ServiceError, sourceStoreUnavailable } from '../../errors.ts'
import type { ByteRange } from '../../model/exact-bytes.ts'
import type { ContentType, Rendition, StoredSource } from '../../ports/catalog.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { inspect } from './content-type.ts'
import { sourceKey, textKey } from './purge-sources.ts'

type Deps = Pick<Bindings, 'catalog' | 'objects' | 'log'>

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
  deps: Deps,
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
function reader({ objects, log }: Deps) {
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
  { catalog }: Deps,
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

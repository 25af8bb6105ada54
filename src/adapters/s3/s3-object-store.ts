import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { pauseAfter, retried } from '../../async/backoff.ts'
import { type ByteRange, exactly, objectKey } from '../../model/object-key.ts'
import { noTelemetry } from '../../model/telemetry.ts'
import type { ObjectStore, OpenObject } from '../../ports/stores/object-store.ts'
import { failuresOf, isFailure } from '../resilience/remote-error.ts'
import { attempts, createS3, type S3, type S3Settings, type S3Timeouts } from './client.ts'

export interface S3ObjectsConfig extends S3Settings {
  bucket: string
}

const timeouts: S3Timeouts = { connect: 2000, idle: 3000, call: 60_000 }

/** Shorter than the timeout of the health check. */
const pingMs = 1800

/**
 * One object per key at `s3://<bucket>/<prefix><key>`, with the SHA-256 of its bytes as metadata, so that reads detect
 * truncated or changed bytes. Also removes the versions in a versioned bucket. If the bucket is missing, every call
 * fails: it is not created here. Streams that are put wait in the folder `spool` until they are whole. Needs s3:PutObject, GetObject, DeleteObject and ListBucket, and for a versioned bucket
 * ListBucketVersions and DeleteObjectVersion.
 */
export function createS3ObjectStore(
  { bucket, ...settings }: S3ObjectsConfig,
  { prefix = 'sources/', waits = timeouts, spool = tmpdir(), telemetry = noTelemetry } = {},
): ObjectStore {
  const s3 = createS3(settings, waits, telemetry)
  const { client, within } = s3
  const address = (key: string) => ({ Bucket: bucket, Key: `${prefix}${objectKey(key)}` })

  /** The older versions of a key in a versioned bucket, and its delete marker. */
  async function eraseVersions({ Bucket, Key }: ReturnType<typeof address>, abortSignal: AbortSignal): Promise<void> {
    let from: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {}
    do {
      const listed = new ListObjectVersionsCommand({ Bucket, Prefix: Key, ...from })
      const page = await client.send(listed, { abortSignal })
      const versions = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].filter(
        (version) => version.Key === Key,
      )
      for (const { VersionId } of versions) {
        await client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }), { abortSignal })
      }
      from = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : {}
    } while (from.KeyMarker !== undefined)
  }

  /** Throws unless the store reports that it has no such object: only a store with that bucket can report that. */
  async function expectMissing(object: ReturnType<typeof address>, abortSignal: AbortSignal): Promise<void> {
    const found = await client.send(new GetObjectCommand(object), { abortSignal }).catch(nullIfMissing)
    if (found === null) return
    if (found.Body instanceof Readable) found.Body.destroy()
    throw new Error('the answer is not that of an object store')
  }

  return {
    engine: 's3',

    put: async (key, bytes) => {
      const put = new PutObjectCommand({ ...address(key), Body: bytes, Metadata: { sha256: sha256(bytes) } })
      await within('PutObject', async (abortSignal) => {
        // Another server that answers 200 to everything has stored nothing.
        const { ETag } = await client.send(put, { abortSignal })
        if (!ETag) throw new Error('the answer is not that of an object store')
      })
    },

    putStream: (key, chunks, bytes) =>
      putStream(s3, address(key), chunks, bytes, { folder: spool, callMs: waits.call }),

    open: (key, range) => openStream(s3, address(key), range),

    get: async (key) => {
      const get = new GetObjectCommand(address(key))
      return within('GetObject', async (abortSignal) => {
        const found = await client.send(get, { abortSignal }).catch(nullIfMissing)
        if (found === null) return null
        const bytes = (await found.Body?.transformToByteArray()) ?? new Uint8Array()
        if (found.Metadata?.sha256 !== sha256(bytes)) throw new Error('these are not the bytes that were stored')
        return bytes
      })
    },

    delete: async (key) => {
      const object = address(key)
      await within('DeleteObject', async (abortSignal) => {
        const removed = await client.send(new DeleteObjectCommand(object), { abortSignal }).catch(nullIfMissing)
        if (removed?.DeleteMarker) await eraseVersions(object, abortSignal)
        // S3 answers 204: a server that answers 200 to everything has removed nothing.
        if (removed && removed.$metadata.httpStatusCode !== 204) await expectMissing(object, abortSignal)
      })
    },

    ping: async () => {
      const unused = { Bucket: bucket, Key: `${prefix}ping` }
      await within('GetObject', (abortSignal) => expectMissing(unused, abortSignal), pingMs)
    },
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The key is missing; a missing bucket is a failure. */
function nullIfMissing(error: unknown): null {
  if (error instanceof NoSuchKey) return null
  throw error
}

const retryMs = { first: 200 }

interface Address {
  Bucket: string
  Key: string
}

/** A read takes this much at a time, so that a reader may pause between two pieces for as long as it likes. */
const pieceBytes = 4 * 2 ** 20

/** The slowest connection to a store, in bytes per millisecond, that a long write may have. */
const slowest = 2 ** 20 / 1000

/**
 * Sends the chunks from a file in `folder`: the store learns their SHA-256 before their first byte, and no store sees
 * bytes of an upload that breaks off.
 */
async function putStream(
  { client, within }: S3,
  address: Address,
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
  { folder, callMs }: { folder: string; callMs: number },
): Promise<void> {
  const { file, sha256 } = await spool(folder, exactly(chunks, bytes))
  const send = () =>
    within(
      'PutObject',
      async (abortSignal) => {
        const Body = bytes === 0 ? '' : file.createReadStream({ start: 0, autoClose: false })
        const put = new PutObjectCommand({ ...address, Body, ContentLength: bytes, Metadata: { sha256 } })
        const { ETag } = await client.send(put, { abortSignal })
        if (!ETag) throw new Error('the answer is not that of an object store')
      },
      Math.ceil(callMs + bytes / slowest),
    )
  try {
    // The SDK does not repeat a request whose body is a stream.
    await retried(send, (error, before) => {
      const isTemporary = isFailure(error, 'timeout', 'unreachable', 'busy', 'broken')
      return isTemporary && before + 1 < attempts ? pauseAfter(retryMs, before) : null
    })
  } finally {
    await file.close()
  }
}

/** Null when there is no such object. Bytes of a whole read are compared with the SHA-256 that they were stored with. */
async function openStream({ client, within }: S3, address: Address, range?: ByteRange): Promise<OpenObject | null> {
  const found = await within('HeadObject', (abortSignal) =>
    client.send(new HeadObjectCommand(address), { abortSignal }).catch(nullIfNotFound),
  )
  if (found === null) return null
  const { ContentLength: bytes, Metadata } = found
  if (bytes === undefined || Metadata?.sha256 === undefined) throw notStored('HeadObject')
  const piece = (start: number, end: number) =>
    within('GetObject', async (abortSignal) => {
      const get = new GetObjectCommand({ ...address, Range: `bytes=${start}-${end}` })
      const { Body } = await client.send(get, { abortSignal })
      const read = (await Body?.transformToByteArray()) ?? new Uint8Array()
      if (read.byteLength !== end - start + 1) throw new Error('the bytes end early')
      return read
    })
  const pieces = (start: number, end: number) => readPieces(piece, start, end)
  return { bytes, stream: range ? pieces(range.start, range.end) : checked(pieces(0, bytes - 1), Metadata.sha256) }
}

async function* readPieces(
  piece: (start: number, end: number) => Promise<Uint8Array>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (let at = start; at <= end; at += pieceBytes) yield await piece(at, Math.min(at + pieceBytes - 1, end))
}

/** Holds back the last chunk until the bytes are known to be right. */
async function* checked(chunks: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let last: Uint8Array | null = null
  for await (const chunk of chunks) {
    if (last) yield last
    hash.update(chunk)
    last = chunk
  }
  if (hash.digest('hex') !== sha256) throw notStored('GetObject')
  if (last) yield last
}

const notStored = (operation: string) =>
  failuresOf('S3')('malformed', `${operation} failed: these are not the bytes that were stored`)

function nullIfNotFound(error: unknown): null {
  if (error instanceof NotFound) return null
  throw error
}

/** Bytes on this machine's disk that no folder names any more, so that they end with the process. */
interface Spooled {
  file: FileHandle
  /** Hex. */
  sha256: string
}

/** Writes the chunks to a file in `folder`. The caller closes it. */
async function spool(folder: string, chunks: AsyncIterable<Uint8Array>): Promise<Spooled> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomBytes(16).toString('hex'))
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    const hash = createHash('sha256')
    await file.writeFile(hashed(chunks, hash))
    return { file, sha256: hash.digest('hex') }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  hash: { update(chunk: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

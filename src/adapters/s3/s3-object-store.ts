import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  NoSuchKey,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { objectKey } from '../../model/object-key.ts'
import { noTelemetry } from '../../model/telemetry.ts'
import type { ObjectStore } from '../../ports/stores/object-store.ts'
import { createS3, type S3Settings, type S3Timeouts } from './client.ts'
import { openStream, putStream } from './stream-objects.ts'

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

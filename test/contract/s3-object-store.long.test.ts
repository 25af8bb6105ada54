import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { DeleteObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createS3ObjectStore } from '../../src/adapters/s3/s3-object-store.ts'
import { readConfig } from '../../src/config.ts'
import type { ObjectStore } from '../../src/ports/stores/object-store.ts'
import { type S3Server, startS3Server } from '../support/s3/server.ts'
import { waited } from '../support/waited.ts'
import { objectStoreContract } from './object-store.contract.ts'

let s3: S3Server
beforeAll(async () => {
  s3 = await startS3Server()
})
afterAll(() => s3.close())
beforeEach(() => {
  s3.faults = []
  s3.always = null
  s3.requests = []
  s3.versions = null
  s3.objects.clear()
})

/** For a busy machine: none of them passes. */
const timeouts = { connect: 20_000, idle: 20_000, call: 50_000 }
const impatience = { connect: 200, idle: 200, call: 500 }

function open(changes: Partial<S3Server> = {}, waits = timeouts) {
  const { endpoint, region, bucket, credentials } = { ...s3, ...changes }
  return createS3ObjectStore({ endpoint, region, bucket, credentials }, { waits })
}

const bytes = Buffer.from('the bytes of a source')
async function* chunked(all: Buffer) {
  for (let at = 0; at < all.length; at += 5) yield all.subarray(at, at + 5)
}
const whole = async (store: ObjectStore, key: string) => buffer((await store.open(key))?.stream ?? chunked(Buffer.of()))
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (failure: unknown) => failure,
  )

objectStoreContract('s3', async () => open())

const liveBucket = process.env.TEST_S3_BUCKET
describe.skipIf(!liveBucket)('a live bucket (TEST_S3_BUCKET, with the settings S3_*)', () => {
  const root = `test-${randomBytes(8).toString('hex')}/`
  const { objects } = readConfig({ ...process.env, S3_BUCKET: liveBucket })
  if (objects.kind !== 's3') return
  objectStoreContract('s3, live', async () =>
    createS3ObjectStore(objects, { prefix: `${root}${randomBytes(8).toString('hex')}/` }),
  )
  afterAll(async () => {
    const { endpoint, region, credentials, bucket: Bucket } = objects
    const client = new S3Client({
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
      ...(region === null ? {} : { region }),
      ...(credentials === null ? {} : { credentials }),
    })
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: root }))
    for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket, Key }))
  })
})

describe('the object store in S3', () => {
  it('keeps its objects below a prefix of their own, and makes no bucket', async () => {
    await open().put('ns_1/source_a', bytes)
    expect([...s3.objects]).toEqual([['sources/ns_1/source_a', bytes]])
    expect(s3.requests).toHaveLength(1)
  })

  for (const fault of ['error', 'slow-down', 'reset', 'slow'] as const) {
    it(`gets through one: ${fault}`, async () => {
      const store = open()
      s3.faults = [fault]
      await store.put('k', bytes)
      s3.faults = [fault]
      expect(Buffer.from((await store.get('k')) ?? [])).toEqual(bytes)
      s3.faults = [fault]
      await store.putStream('k', chunked(bytes), bytes.length)
      s3.faults = [fault]
      expect(await whole(store, 'k')).toEqual(bytes)
      s3.faults = [fault]
      await store.delete('k')
      expect(s3.objects.size).toBe(0)
    })
  }

  for (const fault of ['error', 'slow-down', 'reset', 'hang', 'hang-in-body'] as const) {
    it(`fails in time when they don't end: ${fault}`, async () => {
      await open().put('k', bytes)
      s3.always = fault
      const store = open({}, impatience)
      const calls = [store.get('k')]
      // For calls that don't read a body, the answer is complete before the body.
      if (fault !== 'hang-in-body')
        calls.push(
          store.put('k2', bytes).then(() => null),
          store.delete('k').then(() => null),
        )
      for (const failure of await Promise.all(calls.map(failureOf))) {
        expect(inspect(failure)).toMatch(/S3 (Get|Put|Delete)Object failed/)
      }
      // What was put may have come after the caller gave up.
      expect([...s3.objects.keys()]).toContain('sources/k')
    })
  }

  for (const fault of ['truncated', 'short', 'altered', 'garbage', 'web-page'] as const) {
    it(`never hands out other bytes than were stored: ${fault}`, async () => {
      const store = open()
      await store.put('k', bytes)
      s3.always = fault
      expect(inspect(await failureOf(open({}, impatience).get('k')))).toContain('S3 GetObject failed')
      s3.always = null
      const opened = await store.open('k')
      s3.always = fault
      expect(inspect(await failureOf(buffer(opened?.stream ?? chunked(bytes))))).toContain('S3 GetObject failed')
    })
  }

  it('leaves nothing on the disk of what it sends', async () => {
    const spool = await mkdtemp(join(tmpdir(), 'spool-'))
    const store = createS3ObjectStore(s3, { waits: timeouts, spool })
    await store.putStream('k', chunked(bytes), bytes.length)
    expect(await failureOf(store.putStream('k', chunked(bytes), 3))).not.toBeNull()
    expect(await readdir(spool)).toEqual([])
    expect(await whole(store, 'k')).toEqual(bytes)
    await rm(spool, { recursive: true })
  })

  it('does not take another answer for that of a store that kept something, removed something, or is there', async () => {
    for (const fault of ['garbage', 'web-page'] as const) {
      s3.always = fault
      const store = open({}, impatience)
      expect(inspect(await failureOf(store.put('k', bytes)))).toContain('S3 PutObject failed')
      expect(inspect(await failureOf(store.delete('k')))).toContain('S3 DeleteObject failed')
      expect(inspect(await failureOf(store.ping()))).toContain('S3 GetObject failed')
    }
  })

  it('removes what a versioned bucket would keep', async () => {
    s3.versions = []
    s3.pageSize = 2
    const store = open()
    for (const key of ['k', 'k', 'k', 'k2']) await store.put(key, bytes)
    await store.delete('k')
    expect(s3.versions.map(({ key }) => key)).toEqual(['sources/k2'])
    await store.delete('k')
    expect(s3.versions.map(({ key }) => key)).toEqual(['sources/k2'])
    s3.pageSize = 1000
  })

  it('fails where nothing listens, without a bucket and without the right key, and tells no secret', async () => {
    const secretAccessKey = 'another-secret-of-a-store'
    const accessKeyId = 'ANOTHERKEYID'
    const wrong = [
      [{ endpoint: 'http://127.0.0.1:1' }, /ECONNREFUSED|EACCES/],
      [{ bucket: 'no-such-bucket' }, /404/],
      [{ credentials: { ...s3.credentials, secretAccessKey } }, /403/],
      [{ credentials: { accessKeyId, secretAccessKey } }, /403/],
    ] as const
    for (const [changes, problem] of wrong) {
      const store = open(changes)
      const calls = [store.ping(), store.put('k', bytes), store.get('k'), store.delete('k')]
      for (const failure of await Promise.all(calls.map(failureOf))) {
        const told = inspect(failure, { depth: 9, showHidden: true })
        expect(told).toMatch(problem)
        expect(told).not.toMatch(/secret-of|KEYID/)
      }
    }
    expect(s3.objects.size).toBe(0)
  })

  it('is known to be down within the timeouts of health', async () => {
    await open().ping()
    const store = createS3ObjectStore(s3)
    for (const fault of ['hang', 'error', 'slow-down', 'reset'] as const) {
      s3.always = fault
      const { result, ms } = await waited(() => failureOf(store.ping()))
      expect(result).not.toBeNull()
      expect(ms).toBeLessThan(2000)
    }
  })
})

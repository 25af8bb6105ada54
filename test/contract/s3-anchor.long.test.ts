import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createS3Anchor } from '../../src/adapters/s3/s3-anchor.ts'
import { type S3Server, startS3Server } from '../support/s3/server.ts'
import { all, auditAnchorContract, checkpointOf } from './audit-anchor.contract.ts'

let s3: S3Server
beforeAll(async () => {
  s3 = await startS3Server()
})
afterAll(() => s3.close())
beforeEach(() => {
  s3.faults = []
  s3.pageSize = 1000
  s3.conditions = true
  s3.always = null
  s3.requests = []
  s3.objects.clear()
})

/** For a busy machine. Where an attempt hangs, `hanging` ends it. */
const timeouts = { connect: 20_000, idle: 20_000, call: 50_000 }
const hanging = { connect: 1500, idle: 1500, call: 30_000 }
const open = (prefix: string, changes: Partial<S3Server> = {}, waits = timeouts) => {
  const { endpoint, region, bucket, credentials } = { ...s3, ...changes }
  return createS3Anchor({ endpoint, region, bucket, prefix, credentials }, { waits })
}
const sizesOf = async (prefix: string, namespaceId = 'ns_1') =>
  (await all(open(prefix).of(namespaceId))).map(({ size }) => size)

auditAnchorContract('s3', async () => ({ open: () => open('audit/anchors') }))
auditAnchorContract('s3, at the top of a bucket', async () => ({ open: () => open('') }))
auditAnchorContract('s3, of a maker without conditional writes', async () => {
  s3.conditions = false
  return { open: () => open('audit') }
})

describe('the anchor in S3', () => {
  it('has an object for each, named so that the newest of a namespace is listed first', async () => {
    const anchor = open('audit')
    for (const size of [7, 8]) await anchor.append(checkpointOf('ns_1', size))
    const names = [...s3.objects.keys()]
    expect(names).toEqual([
      expect.stringMatching(/^audit\/ns_1\/9007199254740984-[0-9a-f]{16}\.json$/),
      expect.stringMatching(/^audit\/ns_1\/9007199254740983-[0-9a-f]{16}\.json$/),
    ])
    const { note, time } = checkpointOf('ns_1', 7)
    const [object = ''] = s3.objects.values()
    expect(JSON.parse(object.toString())).toEqual({ namespace_id: 'ns_1', size: 7, time, note })
  })

  it.each([true, false])('never writes a key twice, conditional writes or not: %s', async (conditions) => {
    s3.conditions = conditions
    const checkpoint = checkpointOf('ns_1', 7)
    await open('audit').append(checkpoint)
    const before = [...s3.objects]
    await open('audit').append({ ...checkpoint, time: 1 })
    expect([...s3.objects]).toEqual(before)
  })

  it('finds the newest of many namespaces with one list and one object for each', async () => {
    s3.pageSize = 50
    for (let i = 0; i < 120; i++) fill(`ns_${i}`, [1, 2])
    expect((await all(open('audit').newest())).map(({ size }) => size)).toEqual(Array(120).fill(2))
    expect(s3.requests).toHaveLength(3 + 2 * 120)
  })

  it('reads many pages in order, though others are written meanwhile', async () => {
    s3.pageSize = 50
    const sizes = Array.from({ length: 325 }, (_, i) => i * 2)
    fill('ns_1', sizes)
    const seen: number[] = []
    for await (const { size } of open('audit').of('ns_1')) {
      if (size === 0) fill('ns_1', [401, 403, 9001])
      seen.push(size)
    }
    // New checkpoints may be included; no other is missing or out of order.
    expect(seen.filter((size) => size % 2 === 0)).toEqual(sizes)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(await sizesOf('audit')).toEqual([...sizes, 401, 403, 9001].sort((a, b) => a - b))
  })

  it('passes over what is not its own', async () => {
    await open('audit').append(checkpointOf('ns_1', 5))
    s3.objects.set('audit/notes.txt', Buffer.from('kept here by an operator'))
    s3.objects.set('audit/ns_1/9999999999999999-x.json', Buffer.from('not json'))
    const [[key = '', kept = Buffer.of()] = []] = s3.objects
    for (let i = 0; i < 25; i++) s3.objects.set(`audit/ns_1/${`${i}`.padStart(16, '0')}-0123456789abcdef.json`, kept)
    s3.objects.set(key.replace(/\d{16}/, '0000000000000099'), Buffer.from('not json'))
    s3.objects.set('audit/ns 1/0', kept)
    s3.objects.set('audit/ns_1/deeper/0', kept)
    s3.objects.set('audit-of-others/ns_1/0000000000000000-x.json', Buffer.from('not json'))
    expect(await sizesOf('audit')).toEqual([5])
    expect((await all(open('audit').newest())).map(({ size }) => size)).toEqual([5])
  })

  for (const fault of ['error', 'slow-down', 'reset', 'hang', 'conflict'] as const) {
    it(`tries again after: ${fault}`, async () => {
      s3.faults = [fault]
      await open('audit', {}, hanging).append(checkpointOf('ns_1', 5))
      expect(await sizesOf('audit')).toEqual([5])
    })
  }

  const lasting = ['error', 'slow-down', 'reset', 'hang', 'hang-in-body', 'garbage', 'web-page', 'conflict'] as const
  for (const fault of lasting) {
    it(`gives up in time after many: ${fault}`, async () => {
      await open('audit').append(checkpointOf('ns_1', 5))
      s3.always = fault
      const anchor = open('audit', {}, { connect: 200, idle: 200, call: 500 })
      await expect(anchor.append(checkpointOf('ns_1', 6))).rejects.toThrow('S3 PutObject failed')
      await expect(all(anchor.newest())).rejects.toThrow('S3 ListObjectsV2 failed')
      await expect(all(anchor.of('ns_1'))).rejects.toThrow('S3 ListObjectsV2 failed')
    })
  }

  it('fails soon where nothing listens, without a bucket and without the right key, and tells no secret', async () => {
    const secretAccessKey = 'another-secret-of-a-store'
    const accessKeyId = 'ANOTHERKEYID'
    const wrong = [
      [{ endpoint: 'http://127.0.0.1:1' }, /ECONNREFUSED|EACCES/],
      [{ bucket: 'no-such-bucket' }, /404 NoSuchBucket/],
      [{ credentials: { ...s3.credentials, secretAccessKey } }, /403 SignatureDoesNotMatch/],
      [{ credentials: { accessKeyId, secretAccessKey } }, /403 InvalidAccessKeyId/],
    ] as const
    for (const [changes, problem] of wrong) {
      const error = await open('audit', changes)
        .append(checkpointOf('ns_1', 5))
        .then(
          () => null,
          (failure: unknown) => failure,
        )
      expect(inspect(error, { depth: 9, showHidden: true })).toMatch(problem)
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/secret-of|KEYID/)
    }
    expect(s3.objects.size).toBe(0)
  })
})

/** Stores objects under the names that `append` gives them, without its requests. */
function fill(namespaceId: string, sizes: readonly number[]): void {
  for (const size of sizes) {
    const { time, note } = checkpointOf(namespaceId, size)
    const turned = `${Number.MAX_SAFE_INTEGER - size}`.padStart(16, '0')
    const key = `audit/${namespaceId}/${turned}-${createHash('sha256').update(note).digest('hex').slice(0, 16)}.json`
    s3.objects.set(key, Buffer.from(JSON.stringify({ namespace_id: namespaceId, size, time, note })))
  }
}

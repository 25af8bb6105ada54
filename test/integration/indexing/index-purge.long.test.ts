import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Config } from '../../../src/config.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'

/** Of length 1, so that it is kept as it is sent. */
const vector = [0.48, 0.64, 0.6]
const secrets = ['zqxjkwv', 'zqmeta', 'zqkey', 'zqdoc', 'zqext', 'zqsource', 'zqmime', 'zqgroup', 'zqowner', 'zqscope']
const secret = {
  scope: 'dock/zqscope',
  text: 'ordinary Zqxjkwv words',
  metadata: { zqkey: ['zqmeta', 'plain'] },
  doc_id: 'zqdoc',
  external_id: 'zqext',
  source_uri: 's3://bucket/zqsource',
  mime: 'text/zqmime',
  acl_owner: 'zqowner',
  acl_groups: ['zqgroup'],
  vector,
}
const plain = Array.from({ length: 5 }, (_, i) => ({ text: `ordinary words ${i}`, vector: [i, 1, 2], scope: 'dock' }))

let storage: TestStorage
let token: string
let unitId: string
let directory: string
beforeEach(async () => {
  storage = await createStorage()
  directory = join(storage.dataDir, 'index')
})
afterEach(() => storage.remove())

/** The values that occur in any file of the index. The vector is searched by its bytes, the scope by its id. */
function held(needles: readonly string[]): string[] {
  const files = readdirSync(directory).map((name) => readFileSync(join(directory, name)))
  const bytes = (needle: string) =>
    needle === 'vector' ? Buffer.from(Float32Array.from(vector).buffer) : Buffer.from(needle)
  return needles.filter((needle) => files.some((file) => file.includes(bytes(needle))))
}

async function life(config: Partial<Config>, work: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await boot({ storage, config })
  await work(app)
  await app.close({ keep: true })
}

const ingest = async (app: TestApp, units: readonly object[]) => {
  const reply = await app.call('POST', '/v1/ingest', { token, scope: '*', body: { units } })
  expect(reply.body).toMatchObject({ indexed: true })
  return reply.body.units[0].unit_id
}

/** A first run that ends with the secret in a snapshot. */
const begin = () =>
  life({}, async (app) => {
    token = await app.principal({ id: 'keeper', namespace: 'vault', groups: ['zqgroup'] })
    unitId = await ingest(app, [secret, ...plain])
  })

const remove = async (app: TestApp) => {
  const body = { ids: [unitId], hard: true }
  expect((await app.call('POST', '/v1/units:delete', { token, body })).body).toMatchObject({ purged: 1 })
}
const search = async (app: TestApp) =>
  (await app.call('POST', '/v1/search', { token, body: { q: 'ordinary' } })).body.hits.length

// The index stores a scope's id, not its path.
const inIndex = [...secrets.filter((needle) => needle !== 'zqscope'), 'vector']

describe('what was hard-deleted is in no snapshot that is written afterwards', () => {
  test('not after a restart, nor after a rebuild', async () => {
    await begin()
    expect(held([...inIndex, unitId])).toEqual([...inIndex, unitId])
    await life({}, remove)
    // No request has loaded the namespace since; the next run does.
    await life({}, async (app) => expect(await search(app)).toBe(plain.length))
    expect(held([...secrets, 'vector', unitId])).toEqual([])
    expect(held(['ordinary'])).toEqual(['ordinary'])
    rmSync(directory, { recursive: true })
    await life({}, async (app) => expect(await search(app)).toBe(plain.length))
    expect(held([...secrets, 'vector', unitId])).toEqual([])
    expect(held(['ordinary'])).toEqual(['ordinary'])
  })

  test('nor while the service runs on', async () => {
    await begin()
    await life({ index: { memoryMb: 2048, threads: 2, snapshotAfterMs: 1 } }, async (app) => {
      await remove(app)
      await expect.poll(() => held([...secrets, 'vector', unitId])).toEqual([])
      expect(await search(app)).toBe(plain.length)
    })
    expect(held([...secrets, 'vector', unitId])).toEqual([])
  })

  test('nor what was overwritten', async () => {
    await begin()
    await life({}, async (app) => {
      const { external_id, scope } = secret
      expect(await ingest(app, [{ external_id, scope, text: 'ordinary', vector: [3, 2, 1] }])).toBe(unitId)
    })
    expect(held([...inIndex, unitId])).toEqual(['zqext', unitId])
  })
})

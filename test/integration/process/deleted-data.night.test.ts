import { rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createStorage } from '../../support/database/database.ts'
import { startSeededServer } from '../../support/process/seeded-server.ts'

it('a data directory that is deleted refuses reads and writes as 503, and the process continues', async () => {
  const storage = await createStorage({ embedded: true })
  const env = { HOST: '127.0.0.1', PORT: '0', DATA_DIR: storage.dataDir, LOG_LEVEL: 'fatal', INFERENCE: 'builtin' }
  await using seeded = await startSeededServer(env, { timeoutMs: 300_000 })
  const { call, process: server } = seeded
  const ingest = () => call('POST', '/v1/ingest', { units: [{ scope: 'harbor/general', external_id: 'a', text: 'a' }] })
  const refused = { status: 503, body: { error: 'storage_unavailable', status: 503, detail: expect.any(String) } }
  expect((await call('POST', '/v1/search', { q: 'ferry' })).status).toBe(200)

  rmSync(storage.dataDir, { recursive: true, force: true, maxRetries: 5 })
  expect(await ingest()).toEqual(refused)
  // What the database has read before may still be in memory.
  const reads = ['/v1/units?limit=3', '/v1/grants', '/v1/eval', '/v1/benchmarks', '/v1/catalog/stats', '/v1/audit']
  const answers = await Promise.all(reads.map((path) => call('GET', path)))
  const others = answers.filter(({ status }) => status !== 200)
  expect(others.length).toBeGreaterThan(0)
  expect(others).toEqual(others.map(() => refused))
  expect(await ingest()).toEqual(refused)
  expect((await fetch(`${server.url}/livez`)).status).toBe(200)
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503)
  server.kill('SIGTERM')
  await server.exited
  await storage.remove()
}, 600_000)

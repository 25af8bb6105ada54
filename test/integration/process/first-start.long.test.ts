import { afterEach, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { pineconeIndexes } from '../../support/index/engine-faults.ts'
import { startMeilisearch } from '../../support/meilisearch/server.ts'
import { meilisearchOn } from '../../support/meilisearch/to-test.ts'
import { startLocalPinecone } from '../../support/pinecone/local-pinecone.ts'
import { pineconeOn } from '../../support/pinecone/settings.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(config: NonNullable<Parameters<typeof boot>[0]>['config']) {
  const app: TestApp = await boot({ config: { ...config, ingestWaitMs: 100 } })
  closing.push(() => app.close())
  const token = await app.principal({ id: 'keeper', namespace: 'yard' })
  const ok = async (method: string, path: string, body?: object) => {
    const reply = await app.call(method, path, { token, scope: 'dock', ...(body && { body }) })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    return reply.body
  }
  return {
    health: async () => (await app.call('GET', '/v1/health')).body,
    ingest: () => ok('POST', '/v1/ingest', { units: [{ text: 'a lantern', vector: [1, 0, 0] }] }),
    search: async () => ok('POST', '/v1/search', { q: 'lantern', vector: { text: [1, 0, 0] }, planes: ['text'] }),
    planeHealth: async () => (await ok('GET', '/v1/compaction')).planes[0].health,
  }
}

test('Pinecone that is making its indexes for the first time is not down; one that goes silent meanwhile is', async () => {
  const pinecone = await startLocalPinecone()
  closing.push(() => pinecone[Symbol.asyncDispose]())
  pinecone.readyMs = 12_000
  const { health, ingest, search, planeHealth } = await start({ vectorIndex: pineconeOn(pinecone) })
  const up = { status: 'ok', bindings: { vector_index: pineconeIndexes } }
  // Health is ok from the first request.
  expect(await health()).toMatchObject(up)
  expect(await ingest()).toMatchObject({ indexed: false })
  const { hits, trace } = await search()
  expect([hits.length, trace.degraded]).toEqual([1, ['vector:text']])
  expect(await health()).toMatchObject(up)
  expect(await planeHealth()).not.toBe('red')
  pinecone.always = { kind: 'hang' }
  const down = { status: 'degraded', bindings: { vector_index: pineconeIndexes.map((name) => `${name} (down)`) } }
  await expect.poll(health, { interval: 500 }).toMatchObject(down)
  pinecone.always = null
  await expect.poll(search, { interval: 500 }).toMatchObject({ trace: { degraded: [] } })
  expect(await health()).toMatchObject(up)
})

test('Meilisearch that is making its index for the first time is not down; one that goes silent meanwhile is', async () => {
  const meilisearch = await startMeilisearch()
  closing.push(() => meilisearch[Symbol.asyncDispose]())
  const gate = Promise.withResolvers<void>()
  meilisearch.tasks.gate = gate.promise
  const textIndex = { ...meilisearchOn(meilisearch), pauseMs: 300 }
  const { health, ingest, search, planeHealth } = await start({ textIndex })
  expect((await health()).status).toBe('ok')
  await ingest()
  expect((await search()).trace.degraded).toEqual(['text'])
  expect((await health()).status).toBe('ok')
  expect(await planeHealth()).not.toBe('red')
  meilisearch.fault = 'hang'
  await expect.poll(health, { interval: 500 }).toMatchObject({ status: 'degraded' })
  meilisearch.fault = null
  gate.resolve()
  await expect.poll(search, { interval: 500 }).toMatchObject({ trace: { degraded: [] } })
  expect((await health()).status).toBe('ok')
})

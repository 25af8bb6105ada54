import { expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { pineconeIndexes } from '../../support/index/engine-faults.ts'
import { startMeilisearch } from '../../support/meilisearch/server.ts'
import { meilisearchOn } from '../../support/meilisearch/to-test.ts'
import { startLocalPinecone } from '../../support/pinecone/local-pinecone.ts'
import { pineconeOn } from '../../support/pinecone/settings.ts'

async function start(config: NonNullable<Parameters<typeof boot>[0]>['config']) {
  const app: TestApp = await boot({ config: { ...config, ingestWaitMs: 100 } })
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
    [Symbol.asyncDispose]: () => app.close(),
  }
}

// They mostly wait, so they run concurrently.
test.concurrent('Pinecone that is making its indexes for the first time is not down; one that goes silent meanwhile is', async ({
  expect,
}) => {
  await using pinecone = await startLocalPinecone()
  // Until the end.
  pinecone.readyMs = Number.POSITIVE_INFINITY
  await using service = await start({ vectorIndex: pineconeOn(pinecone) })
  const { health, ingest, search, planeHealth } = service
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
  pinecone.readyMs = 0
  for (const index of pinecone.indexes.values()) index.readyAt = 0
  await expect.poll(search, { interval: 500 }).toMatchObject({ trace: { degraded: [] } })
  await expect.poll(health).toMatchObject(up)
})

test.concurrent('Meilisearch that is making its index for the first time is not down; one that goes silent meanwhile is', async ({
  expect,
}) => {
  await using meilisearch = await startMeilisearch()
  const gate = Promise.withResolvers<void>()
  meilisearch.tasks.gate = gate.promise
  const textIndex = { ...meilisearchOn(meilisearch), pauseMs: 300 }
  await using service = await start({ textIndex })
  const { health, ingest, search, planeHealth } = service
  await expect.poll(health).toMatchObject({ status: 'ok' })
  await ingest()
  expect((await search()).trace.degraded).toEqual(['text'])
  expect((await health()).status).toBe('ok')
  expect(await planeHealth()).not.toBe('red')
  meilisearch.fault = 'hang'
  await expect.poll(health, { interval: 500 }).toMatchObject({ status: 'degraded' })
  meilisearch.fault = null
  gate.resolve()
  await expect.poll(search, { interval: 500 }).toMatchObject({ trace: { degraded: [] } })
  await expect.poll(health).toMatchObject({ status: 'ok' })
})

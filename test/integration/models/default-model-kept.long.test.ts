import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { withCatalogRows } from '../../support/database/catalog-rows.ts'
import { createStorage } from '../../support/database/database.ts'
import { inference, minilm, paraphrases, texts } from '../../support/models/default-model.ts'
import { environmentOf, startServerProcess } from '../../support/process/server-process.ts'
import { transfer } from '../../support/transfer/cli.ts'

let app: TestApp
let token: string
const search = async (q: string) => (await app.call('POST', '/v1/search', { token, body: { q } })).body
const ingest = (units: object[]) => app.call('POST', '/v1/ingest', { token, scope: 'coast', body: { units } })
const planesOf = async () => (await app.call('GET', '/v1/catalog/stats', { token })).body.planes

test('finds a long text by the best of its passages, once', async () => {
  const storage = await createStorage()
  const other = await createStorage()
  const file = join(other.dataDir, 'office.gz')
  const weather = `${texts[3]} ${texts[2]} `.repeat(12)
  const work =
    'He climbs the stairs of the lighthouse with oil and a match, and lights it for the ships far out at sea.'
  const long = `${weather}${`${texts[0]} ${work} `.repeat(5)}${weather}`
  const on = await boot({ storage, config: { inference } })
  const clerk = await on.principal({ id: 'clerk', namespace: 'office' })
  const units = [
    { text: long, doc_id: 'long' },
    { text: texts[1], doc_id: 'short' },
  ]
  await on.call('POST', '/v1/ingest', { token: clerk, scope: 'a', body: { units } })
  const found = async (app: TestApp) => {
    const body = { q: paraphrases[0], planes: ['text'] }
    await expect
      .poll(async () => (await app.call('GET', '/v1/compaction', { token: clerk })).body.planes[0].pending)
      .toBe(0)
    const degraded = async () => (await app.call('POST', '/v1/search', { token: clerk, body })).body.trace.degraded
    await expect.poll(degraded).toEqual([])
    const { body: result } = await app.call('POST', '/v1/search', { token: clerk, body })
    const stats = (await app.call('GET', '/v1/catalog/stats', { token: clerk })).body
    const leg = result.hits[0].explain.find(({ leg }: { leg: string }) => leg === 'vector:text')
    return {
      ids: result.hits.map((hit: { doc_id: string }) => hit.doc_id),
      cosine: leg?.score,
      vectors: stats.planes[0].vectors,
    }
  }
  const first = await found(on)
  // Below the floor of the model for the text as a whole, which is about rain and accounts.
  expect(first).toEqual({ ids: ['long'], cosine: expect.closeTo(0.3, 1), vectors: 2 })
  await on.close({ keep: true })
  // Then from the index's snapshot, and from an export.
  for (const place of [storage, other]) {
    if (place === other)
      for (const [from, ...args] of [
        [storage, 'export', '--all', file],
        [other, 'import', file],
      ] as const)
        expect(await transfer(from, ...args)).toMatchObject({ code: 0 })
    const again = await boot({ storage: place, config: { inference } })
    expect(await found(again)).toEqual({ ...first, cosine: expect.closeTo(first.cosine, 5) })
    await again.close({ keep: true })
  }
  // As before passages: the next start embeds them, and the Unit keeps its one vector until then.
  const stored = `SELECT v.vector, octet_length(v.vector) / 4 / 384 AS count, u.embed_pending FROM unit_vector v JOIN unit u USING (namespace_id, unit_id) ORDER BY length(u.text) DESC`
  const former = await withCatalogRows(storage, async (sql) => {
    const before = await sql(stored)
    await sql('UPDATE unit_vector SET vector = substring(vector FOR 4 * 384)')
    await sql(
      readFileSync(
        new URL('../../../prisma/migrations/20261204130000_passages/migration.sql', import.meta.url),
        'utf8',
      ),
    )
    expect(await sql(stored)).toMatchObject([
      { count: 1, embed_pending: true },
      { count: 1, embed_pending: false },
    ])
    return before
  })
  const upgraded = await boot({ storage, config: { inference } })
  expect(await found(upgraded)).toEqual({ ...first, cosine: expect.closeTo(first.cosine, 5) })
  await upgraded.close({ keep: true })
  expect(await withCatalogRows(storage, (sql) => sql(stored))).toEqual(former)
  await Promise.all([storage.remove(), other.remove()])
})

test('replaces hashed vectors of earlier versions while searches go on', async () => {
  const storage = await createStorage()
  app = await boot({ storage })
  token = await app.principal({ id: 'keeper', namespace: 'coast' })
  await ingest(texts.map((text) => ({ text })))
  expect((await planesOf())[0].model).toBe('hashed-ngrams-512')
  await app.close({ keep: true })

  app = await boot({ storage, config: { inference } })
  const q = paraphrases[0] ?? ''
  const switched = async () => {
    const { hits } = await search(`${q} lamp`)
    expect(hits[0].text).toBe(texts[0])
    return (await planesOf())[0]
  }
  await expect.poll(switched).toMatchObject({ model: minilm, vectors: texts.length })
  expect((await search(q)).hits[0].text).toBe(texts[0])
  await app.close({ keep: true })

  // Nothing has loaded the model in this process: words answer at once, and the trace names what they lack.
  app = await boot({ storage, config: { inference } })
  const first = await search('lamp in the tower')
  expect([first.hits[0].text, first.trace.degraded]).toEqual([texts[0], ['vector:text']])
  await expect.poll(async () => (await search(q)).trace.degraded).toEqual([])
  await app.close()
})

test('is missed where its runtime is not installed: the service says so, and finds words', async () => {
  const storage = await createStorage()
  const withoutRuntime = fileURLToPath(new URL('../../support/models/without-onnx.ts', import.meta.url))
  const { INFERENCE: _, ...env } = environmentOf(storage)
  const server = await startServerProcess({ ...env, NODE_OPTIONS: `--import ${withoutRuntime}` })
  const { tokens } = await (await fetch(`${server.url}/v1/admin/seed`, { method: 'POST' })).json()
  const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ q: 'ferry' })
  const found = await (await fetch(`${server.url}/v1/search`, { method: 'POST', headers, body })).json()
  const { bindings } = await (await fetch(`${server.url}/v1/health`)).json()
  await server[Symbol.asyncDispose]()
  await storage.remove()
  expect(found.hits.length).toBeGreaterThan(0)
  expect(bindings.inference).toBe(false)
  const said = 'searches find words, not meaning: the package onnxruntime-node is not installed'
  expect(server.stdout + server.stderr).toContain(said)
})

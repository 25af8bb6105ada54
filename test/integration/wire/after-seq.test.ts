import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { createFaultyIndex } from '../../support/index/faulty-index.ts'

const apps: TestApp[] = []
const index = createFaultyIndex()
let ann = ''
beforeAll(async () => {
  const { vectors, texts } = index
  const config = { ingestWaitMs: 0, afterSeqWaitMs: 100 }
  apps.push(await boot({ config, bindings: { vectors, texts } }))
  ann = await app().principal({ id: 'ann', namespace: 'acme' })
})
afterAll(async () => {
  // A change that waits would keep the service from closing.
  for (const fault of [index.faults.vectors, index.faults.texts]) fault.release()
  for (const one of apps) await one.close()
  await index.close()
})

const app = () => apps[0] as TestApp
const write = async (text: string) => {
  const { status, headers } = await app().call('POST', '/v1/ingest', {
    token: ann,
    body: { units: [{ scope: 'a', text }] },
  })
  expect(status).toBe(200)
  return Number(headers.get('x-svc-seq'))
}
const after = (seq: number | string) => ({ token: ann, headers: { 'x-svc-after-seq': `${seq}` } })
const search = (seq: number | string, q = 'heron') => app().call('POST', '/v1/search', { ...after(seq), body: { q } })
/** As a client does: sends the read again while the indexes are late. */
const found = async (seq: number, q?: string): ReturnType<TestApp['call']> => {
  const reply = await search(seq, q)
  return reply.status === 503 ? found(seq, q) : reply
}
const mcp = (options: { headers: Record<string, string> }) =>
  app().call('POST', '/mcp', {
    token: ann,
    headers: { accept: 'application/json, text/event-stream', ...options.headers },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } },
  })

const reads: [string, (seq: number | string) => ReturnType<TestApp['call']>][] = [
  ['GET', (seq) => app().call('GET', '/v1/scopes', after(seq))],
  ['GET, by the query', (seq) => app().call('GET', `/v1/units?after_seq=${seq}`, { token: ann })],
  ['HEAD', (seq) => app().call('HEAD', '/v1/scopes', after(seq))],
  ['search', search],
  ['answer', (seq) => app().call('POST', '/v1/answer', { ...after(seq), body: { q: 'heron' } })],
  ['GraphQL', (seq) => app().graphql('{ __typename }', {}, after(seq))],
  ['GraphQL, by the query', (seq) => app().call('GET', `/graphql?query={__typename}&after_seq=${seq}`, { token: ann })],
  ['MCP', (seq) => mcp(after(seq))],
]

describe.each(reads)('%s', (_, read) => {
  test('waits for the indexes', async () => {
    for (const fault of [index.faults.vectors, index.faults.texts]) {
      fault.hold()
      const seq = await write('grey heron')
      const late = await read(seq)
      expect(late.status).toBe(503)
      expect(Number(late.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      const code = late.body.error ?? late.body.errors?.[0].extensions.code
      if (late.body !== '') expect(code).toBe('not_indexed_yet')
      fault.release()
      await expect.poll(async () => (await read(seq)).status).toBe(200)
    }
  })

  test('refuses what is not a seq of the namespace', async () => {
    const seq = await write('white egret')
    for (const wrong of ['-1', '1.5', 'x', '', '1e3', '9'.repeat(20), seq + 1_000])
      expect([wrong, (await read(wrong)).status]).toEqual([wrong, 400])
    expect((await read(0)).status).toBe(200)
  })
})

test('a search holds what was written', async () => {
  for (let round = 0; round < 3; round++) {
    const seq = await write(`bittern${round}`)
    const { body } = await found(seq, `bittern${round}`)
    expect(body.trace.index_seq).toBeGreaterThanOrEqual(seq)
    expect(body.hits[0].text).toBe(`bittern${round}`)
  }
})

test('the header wins, and writes check it, but do not wait', async () => {
  expect((await app().call('GET', '/v1/scopes?after_seq=x', after(0))).status).toBe(200)
  const body = { units: [{ scope: 'a', text: 'coot' }] }
  expect((await app().call('POST', '/v1/ingest', { ...after('x'), body })).status).toBe(400)
  index.faults.texts.hold()
  const seq = await write('smew')
  expect((await app().call('POST', '/v1/ingest', { ...after(seq), body })).status).toBe(200)
  index.faults.texts.release()
})

test('credential and namespace are checked first', async () => {
  const { headers } = after('x')
  expect((await app().call('GET', '/v1/scopes', { headers })).status).toBe(401)
  expect((await app().call('GET', '/v1/scopes', { headers, token: ann, namespace: 'other' })).status).toBe(403)
})

test('an index that does not answer is late', async () => {
  const seq = await write('crane')
  expect((await found(seq)).status).toBe(200)
  index.faults.texts.cursorFails = true
  try {
    expect((await search(seq)).body.error).toBe('not_indexed_yet')
  } finally {
    index.faults.texts.cursorFails = false
  }
})

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sampled } from '../../support/amounts.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import {
  type Asked,
  type Fault,
  type LocalPinecone,
  startLocalPinecone,
} from '../../support/pinecone/local-pinecone.ts'
import { pineconeOn } from '../../support/pinecone/settings.ts'
import { createTenant } from '../../support/pinecone/tenant.ts'
import { eventually, waited } from '../../support/waited.ts'

let pinecone: LocalPinecone
let app: TestApp
let lines: unknown[][]

const note = (...line: unknown[]) => void lines.push(line)

beforeAll(async () => {
  pinecone = await startLocalPinecone()
  lines = []
  const log = { info: note, warn: note, error: note }
  app = await boot({ config: { vectorIndex: pineconeOn(pinecone), ingestWaitMs: 200 }, bindings: { log } })
  await healthy()
})
afterAll(async () => {
  await app.close()
  await pinecone[Symbol.asyncDispose]()
})
beforeEach(() => {
  pinecone.always = null
  pinecone.faults = []
  pinecone.faulty = () => true
  pinecone.lagMs = 0
})

const health = async () => (await app.call('GET', '/v1/health')).body
const healthy = () => eventually(async () => expect((await health()).status).toBe('ok'))
const tenant = (name: string) => createTenant(app, pinecone, name)
const isQuery = ({ path }: Asked) => path === '/query'
const isDataPlane = ({ index }: Asked) => index !== null

/** Searches by a vector, so that the vector leg is one of the first legs. */
const near = { q: 'lantern', vector: { text: [1, 0, 0] }, planes: ['text'] }

describe('while Pinecone is away', () => {
  const faults: Record<string, Fault> = {
    'answering 404 for its indexes': { kind: 'status', status: 404 },
    'answering 503': { kind: 'status', status: 503 },
    'answering HTML': { kind: 'body', body: '<html><body>Welcome to the proxy</body></html>' },
    'answering {}': { kind: 'body', body: '{}' },
  }

  for (const [name, fault] of sampled(Object.entries(faults), 2)) {
    test(`${name}: searches answer from words alone and say so, within 3 s`, async () => {
      const { ingest, search, caughtUp } = await tenant(`away-${name.replaceAll(/\W/g, '-').toLowerCase()}`)
      await ingest([{ text: 'a lantern', vector: [1, 0, 0] }])
      await caughtUp()
      expect((await search(near)).trace.degraded).toEqual([])
      pinecone.always = fault
      pinecone.faulty = isDataPlane
      for (let i = 0; i < 2; i++) {
        const { result, ms } = await waited(() => search(near))
        expect(ms).toBeLessThan(3000)
        const { hits, trace } = result
        expect(hits.map((hit: { text: string }) => hit.text)).toEqual(['a lantern'])
        expect(trace.degraded).toEqual(['vector:text'])
      }
      pinecone.always = null
      await expect.poll(async () => (await search(near)).trace.degraded).toEqual([])
    })
  }

  test('hanging: legs that start after others failed do not wait as well, and health says what is down', async () => {
    const { ingest, search, caughtUp } = await tenant('legs')
    const others = ['image', 'audio_utterance', 'doc_page'].map((modality) => ({ text: 'a lantern', modality }))
    await ingest([{ text: 'a lantern', vector: [1, 0, 0] }, ...others])
    await caughtUp()
    pinecone.always = { kind: 'hang' }
    const searched = await waited(() => search({ ...near, planes: ['text', 'visual', 'audio', 'doc_visual'] }))
    expect(searched.ms).toBeLessThan(3000)
    expect(searched.result.trace.degraded).toEqual([
      'vector:text',
      'vector:audio',
      'vector:doc_visual',
      'vector:visual',
    ])
    const { result, ms } = await waited(health)
    expect(ms).toBeLessThan(3000)
    const { status, bindings } = result
    expect(status).toBe('degraded')
    expect(bindings.vector_index[0]).toBe('pinecone:svc-text-512 (down)')
    pinecone.always = null
    await expect.poll(async () => (await search(near)).trace.degraded).toEqual([])
  })

  test('it is tried once in a while, and searches do not wait for it again and again', async () => {
    const { ingest, search, caughtUp } = await tenant('once')
    await ingest([{ text: 'a lantern', vector: [1, 0, 0] }])
    await caughtUp()
    pinecone.always = { kind: 'hang' }
    pinecone.faulty = isQuery
    await search(near)
    pinecone.asked.length = 0
    const started = performance.now()
    while (performance.now() - started < 400) await search(near)
    expect(pinecone.asked.filter(isQuery).length).toBeLessThanOrEqual(1)
    pinecone.always = null
    await expect.poll(async () => (await search(near)).trace.degraded).toEqual([])
  })

  test('neither its key nor what was sent or answered is logged', () => {
    const all = JSON.stringify(lines, (_, value) => (value instanceof Error ? { ...value, at: value.stack } : value))
    expect(all).toContain('a search leg failed')
    expect(all).toContain('RemoteError')
    for (const secret of [pinecone.apiKey, 'told so', 'the proxy', 'lantern']) expect(all).not.toContain(secret)
  })
})

describe('writes', () => {
  test('are repeated where that may help, and then all is there once', async () => {
    const { ingest, records, caughtUp } = await tenant('repeated')
    pinecone.faulty = ({ path }) => path.startsWith('/vectors/')
    pinecone.faults = [
      { kind: 'status', status: 503 },
      { kind: 'status', status: 429, retryAfter: '0' },
      { kind: 'truncated' },
      { kind: 'reset' },
    ]
    await ingest(Array.from({ length: 40 }, (_, i) => ({ text: `lantern ${i}` })))
    await caughtUp()
    expect(records()).toHaveLength(40)
    expect(new Set(records().map(({ metadata }) => metadata.seq)).size).toBe(40)
  })

  test('keep to the sizes that Pinecone takes', async () => {
    const { ingest, records, caughtUp } = await tenant('sized')
    const wide = { text: 'wide', vector: Array.from({ length: 4000 }, (_, i) => Math.sin(i)) }
    await ingest(Array.from({ length: 120 }, (_, i) => ({ ...wide, text: `wide ${i}` })))
    await caughtUp()
    expect(records()).toHaveLength(120)
    expect(pinecone.breaches).toEqual([])
  })
})

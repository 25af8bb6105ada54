import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot({ config: { index: { memoryMb: 0, threads: 3, snapshotAfterMs: 1 } } })
})
afterAll(() => app.close())

interface Hit {
  external_id: string
  text: string
}

/** The operations of one tenant: writes, updates and deletions. A search after each must show its result. */
async function live(name: string, steps: number): Promise<void> {
  const token = await app.principal({ id: `${name}-keeper`, namespace: name })
  const post = async (path: string, body: object) => {
    const reply = await app.call('POST', path, { token, scope: 'dock', body })
    expect(reply.status).toBe(200)
    return reply.body
  }
  const texts = new Map<string, string>()
  for (let step = 0; step < steps; step++) {
    const external_id = `e${(step * 7) % 10}`
    if (texts.has(external_id) && step % 3 === 0) {
      const deleted = await post('/v1/units:delete', { filter: { external_id }, hard: step % 2 === 0 })
      expect(deleted.matched).toBe(1)
      texts.delete(external_id)
    } else {
      const text = `lantern of ${name}, step ${step}`
      const written = await post('/v1/ingest', { units: [{ external_id, text, vector: [step, 1, 2] }] })
      expect(written).toMatchObject({ indexed: true })
      texts.set(external_id, text)
    }
    const bodies = [
      { q: 'lantern' },
      { q: '', vector: { text: [1, 1, 1] } },
      { q: '', filters: { modality: ['text'] } },
    ]
    const found = await Promise.all(bodies.map((body) => post('/v1/search', { ...body, top_k: 20 })))
    for (const { hits, trace } of found) {
      expect(trace.degraded).toEqual([])
      const shown = hits.map((hit: Hit): [string, string] => [hit.external_id, hit.text])
      expect(new Map(shown)).toEqual(texts)
      expect(hits).toHaveLength(texts.size)
    }
  }
}

test('namespaces that are written out and loaded again all the time stay right, and apart', async () => {
  await Promise.all(['pier', 'quay', 'yard', 'dock', 'mole'].map((name) => live(name, 15)))
})

import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

// A thread may end by itself: of too little memory, for example.

const scope = 'quay'

let app: TestApp
let token: string
/** Those of the index that run, the writing one first: of all threads, they alone start after the service. */
const threads: Worker[] = []
const keep = (worker: Worker) => {
  threads.push(worker)
  worker.once('exit', () => void threads.splice(threads.indexOf(worker), 1))
}

beforeAll(async () => {
  app = await boot({ config: { index: { threads: 2, memoryMb: 64, snapshotAfterMs: 100 } } })
  token = await app.principal({ id: 'pilot', namespace: 'harbour' })
  process.on('worker', keep)
})

afterAll(async () => {
  process.off('worker', keep)
  await app.close()
})

let written = 0

async function ingest(units: number): Promise<void> {
  const body = {
    units: Array.from({ length: units }, () => ({ text: `Bollard number ${++written}.`, modality: 'text' })),
  }
  const { status } = await app.call('POST', '/v1/ingest', { token, scope, body })
  expect(status).toBe(200)
}

interface Searched {
  hits: number
  /** Legs that failed, or changes that the index lacks. */
  isPartial: boolean
}

async function searched(): Promise<Searched> {
  const { status, body } = await app.call('POST', '/v1/search', { token, scope, body: { q: 'bollard', top_k: 50 } })
  expect(status).toBe(200)
  const { degraded, seq, index_seq: indexSeq } = body.trace
  return { hits: body.hits.length, isPartial: degraded.length > 0 || indexSeq < seq }
}

/** Asks until the answer is whole again; what comes before may only lack hits, and says so. */
async function recovered(): Promise<void> {
  await expect
    .poll(async () => {
      const { hits, isPartial } = await searched()
      expect(hits === written || isPartial, `${hits} of ${written} hits, and nothing said`).toBe(true)
      return hits
    })
    .toBe(written)
}

/**
 * Takes the writing thread far longer than a search. It lies where no search here looks, and has vectors: the service embeds
 * long batches in a thread of its own.
 */
const longBatch = Array.from({ length: 150 }, (_, unit) => ({
  text: Array.from({ length: 120 }, (_, word) => `rope${unit * word}`).join(' '),
  modality: 'text',
  vector: [1, 0, 0],
}))

/** Both threads: the second one starts where a search finds the first one busy, as it is with a long batch. */
async function bothThreads(): Promise<Worker[]> {
  await expect
    .poll(async () => {
      let isWriting = true
      const writing = app.call('POST', '/v1/ingest', { token, scope: 'yard', body: { units: longBatch } })
      const written = writing.finally(() => {
        isWriting = false
      })
      while (isWriting) await searched()
      expect((await written).status).toBe(200)
      return threads.length
    })
    .toBe(2)
  return threads.slice()
}

for (const [place, name] of ['the writing thread', 'a searching thread'].entries()) {
  test(`${name} ends, and everything is found again`, async () => {
    await ingest(10)
    await (await bothThreads())[place]?.terminate()
    await recovered()
    await ingest(5)
    await recovered()
  })

  test(`${name} ends while batches are written, and none is missing`, async () => {
    const lost = (await bothThreads())[place]
    const writing = (async () => {
      for (let batch = 0; batch < 10; batch += 1) await ingest(1)
    })()
    await lost?.terminate()
    await writing
    await recovered()
  })
}

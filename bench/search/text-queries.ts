import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { httpRequest } from '../support/http-connection.ts'
import { benchDir } from '../support/leave-nothing.ts'
import type { LoadGenerator } from '../support/load.ts'
import { call, startService, stopService } from '../support/service.ts'
import { type Figures, k, measureService } from './measure.ts'
import { makePrincipals } from './principals.ts'

export interface TextFigures {
  embedding: string
  units: number
  /** Units per second, their vectors included. */
  rate: number
  figures: Figures
}

const docs = new URL('../../docs/', import.meta.url)

/** Of these documents, since a model embeds no text of a language that it does not understand. */
const paragraphs = readdirSync(docs)
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    readFileSync(new URL(name, docs), 'utf8')
      .replace(/```[\s\S]*?```/g, '')
      .split(/\n(?=\n|- )/),
  )
  .map((text) => text.replace(/^[\s-]+/, '').replace(/\s+/g, ' '))
  .filter((text) => !text.startsWith('|') && text.split(' ').length >= 20)

/** One to three paragraphs each. */
const texts = [1, 2, 3].flatMap((count) => paragraphs.map((_, i) => paragraphs.slice(i, i + count).join(' ')))
const queries = paragraphs
  .filter((_, i) => i % 2 === 0)
  .slice(0, 200)
  .map((text) => ({ text: text.split(' ').slice(4, 12).join(' '), vector: new Float32Array() }))

const unitsPerBatch = 50

/** Text queries end to end, over HTTP: by words alone, and with their vector by the model that comes with the service. */
export async function benchTextQueries(load: LoadGenerator, seconds: number): Promise<TextFigures[]> {
  return [
    await benchEmbedding(load, seconds, 'none: words alone', { INFERENCE: 'builtin' }),
    await benchEmbedding(load, seconds, 'the default model', {}),
  ]
}

async function benchEmbedding(
  load: LoadGenerator,
  seconds: number,
  embedding: string,
  settings: Record<string, string>,
): Promise<TextFigures> {
  const folder = benchDir('texts')
  const { writer: token } = await makePrincipals(folder.path, [])
  await using service = await startService(folder.path, { INFERENCE_TIMEOUT_MS: '60000', ...settings })
  const origin = service.url
  const hasModel = settings.INFERENCE === undefined
  const isReady = async () => {
    const answer = await call(origin, '/v1/search', { q: queries[0]?.text }, token)
    const { degraded } = (answer as { trace: { degraded: string[] } }).trace
    return degraded.length === 0
  }
  const requests = Array.from({ length: Math.ceil(texts.length / unitsPerBatch) }, (_, i) => {
    const units = texts.slice(i * unitsPerBatch, (i + 1) * unitsPerBatch).map((text) => ({ text }))
    const headers = { authorization: `Bearer ${token}`, 'x-svc-scope': 'bench/units' }
    return httpRequest(origin, { method: 'POST', path: '/v1/ingest', headers, body: JSON.stringify({ units }) })
  })
  const limit = { count: requests.length }
  const ingested = await load.run({ origin, requests, clients: 1, limit, mustContain: '"indexed":true' })
  while (!(await isReady())) await sleep(100)
  const figures = await measureService(load, { origin, token }, { queries }, 'text', seconds)
  const last = await call(origin, '/v1/search', { q: queries[0]?.text, top_k: k }, token)
  const { legs } = (last as { trace: { legs: { leg: string; candidates: number }[] } }).trace
  const byMeaning = legs.some(({ leg, candidates }) => leg === 'vector:text' && candidates > 0)
  if (byMeaning !== hasModel) throw new Error(`the searches were ${byMeaning ? '' : 'not '}by meaning: ${embedding}`)
  await stopService(service)
  folder.remove()
  return { embedding, units: texts.length, rate: texts.length / ingested.seconds, figures }
}

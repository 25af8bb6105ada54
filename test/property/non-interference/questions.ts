import type { Reply } from '../../support/boot.ts'
import type { Draw } from '../draw.ts'
import { drawVector, type History, modalities, startTime, vocabulary } from './history.ts'

/** A request by the reader. */
export interface Question {
  method: 'GET' | 'POST'
  path: string
  scope?: string
  body?: Record<string, unknown>
}

const scopes = ['*', '*', 'open', 'open', 'open/sub', 'open/sub', 'closed', 'opened', 'nowhere']

export function drawSearch(draw: Draw): Question {
  const filters = draw.chance(40) ? drawFilters(draw) : undefined
  const vector = draw.chance(50) ? drawVectors(draw) : undefined
  const words = Array.from({ length: 1 + draw.upTo(3) }, () => draw.pick([...vocabulary, 'runs', 'unheard']))
  const q = (filters || vector) && draw.chance(40) ? '' : words.join(' ')
  const body = {
    q,
    ...(draw.chance(70) ? { top_k: 1 + draw.upTo(draw.chance(50) ? 4 : 49) } : {}),
    ...(draw.chance(30)
      ? { planes: draw.pick([['text'], ['visual', 'text'], ['audio'], ['doc_visual', 'audio']]) }
      : {}),
    ...(draw.chance(30) ? { rerank: true } : {}),
    ...(draw.chance(20) ? { min_score: draw.upTo(10) / 10 } : {}),
    ...(draw.chance(20) ? { scope: draw.pick(scopes) } : {}),
    ...(vector ? { vector } : {}),
    ...(filters ? { filters } : {}),
  }
  const path = q !== '' && draw.chance(50) ? '/v1/answer' : '/v1/search'
  return { method: 'POST', path, body, ...(draw.chance(30) ? { scope: draw.pick(scopes) } : {}) }
}

const drawVectors = (draw: Draw) =>
  draw.pick([
    { text: drawVector(draw) },
    { visual: drawVector(draw) },
    { text: drawVector(draw), audio: drawVector(draw) },
    { text: drawVector(draw), visual: drawVector(draw), audio: drawVector(draw), doc_visual: drawVector(draw) },
  ])

const drawFilters = (draw: Draw) =>
  draw.pick([
    { modality: [draw.pick(modalities), 'text'] },
    { doc_id: ['doc-1'] },
    { external_id: ['ext-0', 'ext-1', 'ext-2'] },
    { source_uri: ['s3://a'] },
    { mime: ['video/mp4'] },
    { acl_owner: ['stranger', 'red'] },
    { created_after: startTime + draw.upTo(9) * 1000 },
    { created_before: startTime + draw.upTo(9) * 1000 },
    { metadata: { tag: 'a', size: { gte: draw.upTo(5) } } },
    { time_range: { t_start_ms: draw.upTo(40), t_end_ms: 50 } },
  ])

/** All other read requests. */
export function drawLooks(draw: Draw, { visibleIds, hiddenIds }: History): Question[] {
  const page = `limit=${1 + draw.upTo(9)}&cursor=${draw.upTo(12)}`
  const ids = [draw.pick(visibleIds), ...(hiddenIds.length > 0 ? [draw.pick(hiddenIds)] : [])]
  return [
    { method: 'GET', path: '/v1/units' },
    { method: 'GET', path: `/v1/units?${page}` },
    { method: 'GET', path: `/v1/units?${page}`, scope: draw.pick(scopes) },
    ...ids.map((id): Question => ({ method: 'GET', path: `/v1/units/${id}` })),
    { method: 'GET', path: '/v1/context' },
    { method: 'GET', path: '/v1/scopes' },
  ]
}

/** The reader may write, so it may delete; the reported count must not reveal hidden Units either. */
export function drawDeletion(draw: Draw, { visibleIds, hiddenIds }: History): Question {
  const body = draw.pick<Record<string, unknown>>([
    { ids: [...hiddenIds, draw.pick(visibleIds), 'unit_unknown'] },
    { filter: { doc_id: 'doc-1' } },
    { filter: { metadata: { tag: 'a' } } },
    { filter: { modality: 'text', scope: 'open' } },
    { filter: { external_id: 'ext-1' } },
  ])
  return { method: 'POST', path: '/v1/units:delete', body: { ...body, hard: draw.chance(50) } }
}

/** Fields that may differ: counts of hidden Units, the namespace's seq, and durations. */
const exempt = new Set(['hidden_by_acl', 'seq', 'index_seq', 'took_ms'])

/** The raw answer, with its order of keys, without the exempt fields. */
export function comparable({ status, body }: Reply): { status: number; json: string } {
  const json = JSON.stringify(body, (key, value: unknown) => (exempt.has(key) ? undefined : value), 1)
  return { status, json }
}

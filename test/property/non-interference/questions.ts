import { schema } from '../../../src/graphql/schema.ts'
import { selectionOf } from '../../support/access/selection.ts'
import type { Reply } from '../../support/boot.ts'
import { makePng } from '../../support/documents/make-png.ts'
import type { Draw } from '../draw.ts'
import { drawVector, type History, modalities, names, startTime, vocabulary } from './history.ts'

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
  const q = (filters || vector) && draw.chance(40) ? '' : drawWords(draw, words)
  const planes = draw.chance(30)
    ? draw.pick([['text'], ['visual', 'text'], ['audio'], ['doc_visual', 'audio']])
    : undefined
  const body = {
    q,
    ...drawReading(draw),
    ...(draw.chance(25) ? drawImage(draw, planes, vector) : {}),
    ...(draw.chance(70) ? { top_k: 1 + draw.upTo(draw.chance(50) ? 4 : 49) } : {}),
    ...(planes ? { planes } : {}),
    ...drawResults(draw),
    ...(draw.chance(20) ? { min_score: draw.upTo(10) / 10 } : {}),
    ...(draw.chance(20) ? { scope: draw.pick(scopes) } : {}),
    ...(vector ? { vector } : {}),
    ...(filters ? { filters } : {}),
  }
  const path = q !== '' && draw.chance(50) ? '/v1/answer' : '/v1/search'
  return { method: 'POST', path, body, ...(draw.chance(30) ? { scope: draw.pick(scopes) } : {}) }
}

/** Words, some in quotes, some excluded. */
/** What searches of the namespace take for equal. */
export function drawSynonyms(draw: Draw): Question {
  const phrase = () => Array.from({ length: 1 + draw.upTo(1) }, () => draw.pick([...vocabulary, 'unheard'])).join(' ')
  const groups = Array.from({ length: 4 }, () => [phrase(), phrase(), phrase()])
  const query = 'mutation ($input: SynonymsInput!) { setSynonyms(input: $input) { groups } }'
  return { method: 'POST', path: '/graphql', body: { query, variables: { input: { groups } } } }
}

function drawWords(draw: Draw, words: readonly string[]): string {
  const quoted = words.length > 1 && draw.chance(25) ? [`"${words[0]} ${words[1]}"`, ...words.slice(2)] : words
  return [...quoted, ...(draw.chance(25) ? [`-${draw.pick(vocabulary)}`] : [])].slice(draw.upTo(1)).join(' ')
}

const drawReading = (draw: Draw) => ({
  ...(draw.chance(30) ? { query_syntax: draw.pick(['web', 'plain']) } : {}),
  ...(draw.chance(30) ? { prefix: draw.pick(['none', 'last']) } : {}),
})

/** Which hits come back, in which order and form. What contradicts each other is not drawn. */
function drawResults(draw: Draw): object {
  const field = () => draw.pick(['created_at', 'updated_at', 'metadata.size', 'metadata.tag', 'score'])
  const sorted = draw.chance(25) ? [...new Set([field(), field(), field()])] : undefined
  const grouped = draw.chance(20) ? draw.pick(['doc_id', 'metadata.tag', 'metadata.nothing']) : undefined
  const sort = sorted?.map((by) => ({ by, order: draw.pick(['asc', 'desc']) }))
  return {
    ...(sort ? { sort } : draw.chance(30) ? { rerank: true } : {}),
    ...(grouped ? { group_by: grouped, group_size: 1 + draw.upTo(4) } : {}),
    ...(!sort && !grouped && draw.chance(15) ? { diversity: draw.upTo(10) / 10 } : {}),
    ...(draw.chance(30) ? { offset: draw.pick([1, 3, 10, 30, 300]) } : {}),
    ...(draw.chance(25) ? { snippet_length: 1 + draw.upTo(80) } : {}),
    ...(draw.chance(30) ? { facets: draw.pick([facets, facets.slice(2, 5)]), facets_limit: 1 + draw.upTo(9) } : {}),
    ...(draw.chance(25)
      ? {
          boost: [
            { by: draw.pick(['created_at', 'metadata.size']), half_life_days: 1 + draw.upTo(40) },
            { filter: drawFilters(draw), weight: 1 + draw.upTo(9) },
          ],
        }
      : {}),
  }
}

const facets = ['plane', 'modality', 'scope', 'doc_id', 'mime', 'created_at', 'metadata.tag', 'metadata.size']

/** The same words in the same places, with everything else drawn again. */
export function drawVariant(draw: Draw, { method, scope, body }: Question): Question {
  const kept = Object.fromEntries(['q', 'top_k', 'planes', 'scope'].map((name) => [name, body?.[name]]))
  const vector = draw.chance(60) ? drawVectors(draw) : undefined
  const drawn = {
    ...drawReading(draw),
    ...(vector ? { vector } : {}),
    ...(draw.chance(50) ? { min_score: draw.upTo(10) / 10 } : {}),
    ...(draw.chance(40) ? drawImage(draw, kept.planes, vector) : {}),
    ...drawResults(draw),
    filters: drawFilters(draw),
  }
  const path = kept.q !== '' && draw.chance(30) ? '/v1/answer' : '/v1/search'
  return { method, path, body: { ...kept, ...drawn }, ...(scope === undefined ? {} : { scope }) }
}

/** A question that one passage leaves open, so that the answer searches for the names that passages bring in. */
export function drawAnswer(draw: Draw): Question {
  const [first, second] = [draw.pick(names), draw.pick(names)]
  const word = () => draw.pick(vocabulary)
  const q = draw.pick([
    `Who leads the ${word()} with the ${word()} of ${first}?`,
    `Are ${first} and ${second} both in the ${word()}?`,
    `Which ${word()} of the ${word()} is older than the ${word()}?`,
  ])
  const body = { q, top_k: 2 + draw.upTo(8), max_steps: 2 + draw.upTo(6), min_confidence: 0 }
  return { method: 'POST', path: '/v1/answer', body, ...(draw.chance(30) ? { scope: draw.pick(scopes) } : {}) }
}

/** The number of searches behind an answer; 0 for what is not an answer. */
export const searchesOf = ({ json }: { json: string }): number => JSON.parse(json)?.trace?.answer?.steps?.length ?? 0

/** A picture, where the plane `text` can take it: it is searched, and by no vector of the caller's. */
function drawImage(draw: Draw, planes: unknown, vector: object | undefined) {
  if ((Array.isArray(planes) && !planes.includes('text')) || (vector && 'text' in vector)) return {}
  return { image: { base64: makePng(1 + draw.upTo(30), 1).toString('base64') } }
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
    { metadata: { tag: { ne: 'a' }, size: { exists: draw.chance(50) } } },
    { or: [{ doc_id: null }, { metadata: { tag: { prefix: 'a' } } }], not: { plane: draw.pick(['text', 'audio']) } },
    { and: [{ not: { metadata: { size: { lt: draw.upTo(5) } } } }, { mime: { contains: '/' } }] },
    { created_at: { gt: startTime + draw.upTo(9) * 1000 }, updated_at: { exists: true } },
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
    ...ids.map(
      (unit_id): Question => ({
        method: 'POST',
        path: '/v1/search',
        body: { similar_to: { unit_id }, ...drawResults(draw) },
      }),
    ),
    { method: 'GET', path: '/v1/context' },
    { method: 'GET', path: '/v1/scopes' },
  ]
}

const contextFields = 'context { effectiveScopes allowedScopes perms foldersVisible }'
const docFields = 'docId unitId title scopes planes modalities mime sourceUri units createdAt updatedAt'
const facetFields = 'count metadataKeys facets { field values { value count } other missing min max }'

/** What GraphQL alone answers. */
export function drawSums(draw: Draw): Question[] {
  const fields = ['plane', 'modality', 'scope', 'docId', 'mime', 'createdAt', 'metadata.tag', 'metadata.size']
  const filters = draw.pick([
    {},
    { docId: ['doc-1'] },
    { not: { metadata: { tag: { contains: 'a' } } } },
    { metadata: { tag: 'a' } },
    { createdAfter: startTime + 4000 },
  ])
  const page = { limit: 1 + draw.upTo(9), cursor: draw.upTo(3) }
  const input = { fields, filters, limit: 1 + draw.upTo(5) }
  const asked: [string, object][] = [
    [
      `query ($limit: Int, $cursor: SafeInt, $filters: SearchFiltersInput) {
        docs(limit: $limit, cursor: $cursor, filters: $filters) { count nextCursor ${contextFields} docs { ${docFields} } }
        units(limit: $limit, cursor: $cursor, filters: $filters) { nextCursor units { unitId } } }`,
      { ...page, filters },
    ],
    [`{ doc(docId: "doc-1") { ${docFields} } }`, {}],
    [`query ($input: FacetsInput!) { facets(input: $input) { ${facetFields} ${contextFields} } }`, { input }],
  ]
  return asked.map(([query, variables]) => ({
    method: 'POST',
    path: '/graphql',
    body: { query, variables },
    ...(draw.chance(50) ? { scope: draw.pick(scopes) } : {}),
  }))
}

const resultFields = selectionOf(schema.getType('SearchResult') as never)
const unitPageFields = selectionOf(schema.getType('UnitPage') as never)

/** What an admin who may read more sees as the reader. */
export function drawViews(draw: Draw, principalId: string): Question[] {
  const { body, scope } = drawSearch(draw)
  const asked: [string, object][] = [
    [
      `query ($principalId: String!, $input: SearchInput!) {
        searchAs(principalId: $principalId, input: $input) ${resultFields} }`,
      // All fields of many hits would cost too much.
      { principalId, input: inGraphql({ ...body, top_k: Math.min(Number(body?.top_k ?? 10), 20) }) },
    ],
    [
      `query ($principalId: String!, $limit: Int, $cursor: SafeInt) {
        unitsAs(principalId: $principalId, limit: $limit, cursor: $cursor) ${unitPageFields} }`,
      { principalId, limit: 1 + draw.upTo(9), cursor: draw.upTo(3) },
    ],
  ]
  return asked.map(([query, variables]) => ({
    method: 'POST',
    path: '/graphql',
    body: { query, variables },
    ...(scope === undefined ? {} : { scope }),
  }))
}

/** The names of GraphQL for those of REST; the drawn metadata has no name that this changes. */
const inGraphql = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inGraphql)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      inGraphql(one),
    ]),
  )
}

/** The reader may write, so it may delete; the reported count must not reveal hidden Units either. */
export function drawDeletion(draw: Draw, { visibleIds, hiddenIds }: History): Question {
  const body = draw.pick<Record<string, unknown>>([
    { ids: [...hiddenIds, draw.pick(visibleIds), 'unit_unknown'] },
    { filter: { doc_id: 'doc-1' } },
    { filter: { metadata: { tag: 'a' } } },
    { filter: { modality: 'text', scope: 'open' } },
    { filter: { external_id: 'ext-1' } },
    { filter: { or: [{ external_id: 'ext-1' }, { metadata: { size: { nin: [1, 2] } } }], doc_id: { ne: null } } },
  ])
  return { method: 'POST', path: '/v1/units:delete', body: { ...body, hard: draw.chance(50) } }
}

/** Fields that may differ: the namespace's seq (a Unit's `version` is one), and durations. */
const exempt = ['seq', 'version', 'index_seq', 'took_ms', 'indexSeq', 'tookMs']
const exemptFor = {
  exact: new Set([...exempt, 'hidden_by_acl', 'hiddenByAcl']),
  off: new Set(exempt),
}

/** What a namespace says of hidden Units. */
export type Setting = keyof typeof exemptFor

/** The raw answer, with its order of keys, without the fields that may differ. */
export function comparable({ status, body }: Reply, setting: Setting): { status: number; json: string } {
  const json = JSON.stringify(body, (key, value: unknown) => (exemptFor[setting].has(key) ? undefined : value), 1)
  return { status, json }
}

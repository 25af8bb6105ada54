import { afterAll, beforeAll, expect, test } from 'vitest'
import { shortOrLong } from '../support/amounts.ts'
import { boot, type Reply, type TestApp } from '../support/boot.ts'
import { type Draw, forAllRuns } from './draw.ts'

let app: TestApp
let keeper = ''
let actors: string[] = []

const scopes = ['coast', 'coast/east', 'coast/west', 'inland']
const groups = ['crew', 'office', 'yard']
const words = ['anchor', 'berth', 'crane', 'dredger', 'ferry', 'gangway', 'harbour', 'lamp']

beforeAll(async () => {
  // A row is written before the answer, so that the last rows are those of the last request.
  app = await boot({ config: { audit: { reads: 'sync', queries: { kind: 'text' } } } })
})
afterAll(() => app.close())

/** A namespace of its own. */
async function fill(draw: Draw, namespace: string): Promise<void> {
  keeper = await app.principal({ id: `keeper-${namespace}`, namespace })
  actors = []
  for (let batch = 0; batch < 3; batch++) {
    const units = Array.from({ length: 20 }, (_, i) => ({
      text: `The ${draw.pick(words)} keeps watch at the ${draw.pick(words)}. ${draw.some(words, 4).join(' ')} ${i}.`,
      scope: draw.pick(scopes),
      doc_id: `doc-${draw.upTo(5)}`,
      acl_groups: draw.chance(40) ? ['*'] : draw.some(groups, 2),
      metadata: { year: 1900 + draw.upTo(3) },
    }))
    expect((await app.call('POST', '/v1/ingest', { token: keeper, body: { units } })).status).toBe(200)
  }
  for (let i = 0; i < 4; i++) {
    const grant = () => ({ scope: draw.pick(scopes), perms: ['read' as const], groups: draw.some(groups, 2) })
    const grants = [grant(), grant()]
    const all = { scope: '*', perms: ['read' as const], groups: draw.some(groups, 1) }
    actors.push(await app.principal({ id: `reader-${i}-${namespace}`, namespace, grants: i === 0 ? [all] : grants }))
  }
}

interface Asked {
  q: string
  scope: string
  top_k: number
  year: number | null
  doc: string | null
  min_score: number
}

/** What a door shows of its hits, best first; null if it refuses. */
interface Shown {
  via: string | undefined
  ids: string[] | null
  scores?: number[]
}

type Door = (asked: Asked, token: string) => Promise<Shown>

const filtersOf = ({ year, doc }: Asked, docId = 'doc_id') => {
  const filters = { ...(year !== null && { metadata: { year } }), ...(doc !== null && { [docId]: [doc] }) }
  return Object.keys(filters).length === 0 ? {} : { filters }
}
const queryOf = (asked: Asked) => {
  const { q, top_k, min_score } = asked
  return { q, top_k, min_score, ...filtersOf(asked) }
}

// biome-ignore lint/suspicious/noExplicitAny: the wire has no types
type Wild = any
const shown = (via: string | undefined, hits: Wild[] | undefined, idOf: (hit: Wild) => string): Shown => ({
  via,
  ids: hits ? hits.map(idOf) : null,
  ...(hits && { scores: hits.map(({ score }) => score) }),
})
const unitId = ({ unit_id }: Wild) => unit_id

async function tool(name: string, args: object, { scope }: Asked, token: string): Promise<Wild> {
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: { ...args, max_tokens: 100_000 } },
  }
  const reply = await app.call('POST', '/mcp', { token, headers, body, scope })
  return typeof reply.body === 'string' ? JSON.parse(/^data: (.*)$/m.exec(reply.body)?.[1] ?? 'null') : reply.body
}
const resultsOf = (message: Wild) => message.result?.structuredContent?.results

const graphql = async (field: 'search' | 'answer', asked: Asked, token: string) => {
  const { scope, q, top_k, min_score } = asked
  const input = { q, topK: top_k, minScore: min_score, ...filtersOf(asked, 'docId') }
  const query = `query ($input: SearchInput!) { ${field}(input: $input) { hits { unitId score } } }`
  const { body } = await app.graphql(query, { input }, { token, scope })
  return shown(undefined, body.data?.[field]?.hits, (hit) => hit.unitId)
}

const openai = (path: string, { scope }: Asked, token: string, body: object) =>
  app.call('POST', `/openai/v1${path}`, { token, scope, body })
const storeQuery = ({ top_k, year, doc, min_score }: Asked) => {
  const filters = [
    ...(year === null ? [] : [{ type: 'eq', key: 'year', value: year }]),
    ...(doc === null ? [] : [{ type: 'in', key: 'file_id', value: [doc] }]),
  ]
  return {
    max_num_results: top_k,
    ranking_options: { score_threshold: min_score },
    ...(filters.length > 0 && { filters: filters.length > 1 ? { type: 'and', filters } : filters[0] }),
  }
}

const searches: Record<string, Door> = {
  REST: async (asked, token) => {
    const { body } = await app.call('POST', '/v1/search', { token, scope: asked.scope, body: queryOf(asked) })
    return shown(undefined, body.hits, unitId)
  },
  GraphQL: (asked, token) => graphql('search', asked, token),
  MCP: async (asked, token) => {
    const { q: query, ...rest } = queryOf(asked)
    return shown('mcp', resultsOf(await tool('search', { query, ...rest }, asked, token)), ({ id }) => id)
  },
  OpenAI: async (asked, token) => {
    const body = { query: asked.q, ...storeQuery(asked) }
    const reply = await app.call('POST', `/openai/v1/vector_stores/${encodeURIComponent(asked.scope)}/search`, {
      token,
      body,
    })
    return shown('openai', reply.body.data, unitId)
  },
  Dify: async (asked, token) => {
    const { scope, q, top_k, min_score, year, doc } = asked
    const conditions = [
      ...(year === null ? [] : [{ name: ['year'], comparison_operator: '=', value: `${year}` }]),
      ...(doc === null ? [] : [{ name: 'doc_id', comparison_operator: 'in', value: [doc] }]),
    ]
    const { body } = await app.call('POST', '/dify/retrieval', {
      token,
      body: {
        ...{ knowledge_id: scope, query: q, retrieval_setting: { top_k, score_threshold: min_score } },
        ...(conditions.length > 0 && { metadata_condition: { logical_operator: 'and', conditions } }),
      },
    })
    return shown(
      'dify',
      body.records?.map(({ score, metadata }: Wild) => ({ score, ...metadata })),
      unitId,
    )
  },
}

const answers: Record<string, Door> = {
  REST: async (asked, token) => {
    const { body } = await app.call('POST', '/v1/answer', { token, scope: asked.scope, body: queryOf(asked) })
    return shown(undefined, body.hits, unitId)
  },
  events: async (asked, token) => {
    const headers = { accept: 'text/event-stream' }
    const { body } = await app.call('POST', '/v1/answer', { token, scope: asked.scope, body: queryOf(asked), headers })
    const done = typeof body === 'string' ? /^event: done\ndata: (.*)$/m.exec(body)?.[1] : undefined
    return shown(undefined, done === undefined ? undefined : JSON.parse(done).hits, unitId)
  },
  GraphQL: (asked, token) => graphql('answer', asked, token),
  MCP: async (asked, token) => {
    // The tool takes no threshold.
    const { q: question, min_score: _, ...rest } = queryOf(asked)
    return shown('mcp', resultsOf(await tool('answer', { question, ...rest }, asked, token)), ({ id }) => id)
  },
}

/** What an answer cites: chats and responses show no hits. */
const cited = async (asked: Asked, token: string, body: object): Promise<Shown> => {
  const reply = await app.call('POST', '/v1/answer', { token, scope: asked.scope, body: { q: asked.q, ...body } })
  return { via: undefined, ids: reply.body.answer?.citations.map(unitId) ?? null }
}

/** Of an answer of OpenAI's API, whole or the last event of a stream. */
const citedBy = ({ body }: Reply): Shown => {
  const events = typeof body === 'string' ? body.split('\n').filter((line) => line.includes('"citations"')) : []
  const last = JSON.parse(events.at(-1)?.replace(/^data: /, '') ?? 'null')
  const { metadata } = last?.response ?? last ?? body
  return { via: 'openai', ids: JSON.parse(metadata?.citations ?? 'null')?.map(unitId) ?? null }
}

const earlier = { q: 'Is there a watch?', answer: 'There is a watch. [1]' }

/** They take neither a number of hits nor a filter. */
const chatOf = (stream: boolean): Door => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: earlier.q },
    { role: 'assistant', content: earlier.answer },
  ]
  return async (asked, token) => {
    const sent = { model: 'svc-answer', stream, messages: [...messages, { role: 'user', content: asked.q }] }
    return citedBy(await openai('/chat/completions', asked, token, sent))
  }
}

const chats: Record<string, Door> = {
  REST: (asked, token) => cited(asked, token, { history: [earlier] }),
  chat: chatOf(false),
  'streamed chat': chatOf(true),
}

const responseOf =
  (model: string, stream: boolean): Door =>
  async (asked, token) => {
    const tools = [{ type: 'file_search', vector_store_ids: [encodeURIComponent(asked.scope)], ...storeQuery(asked) }]
    return citedBy(
      await openai('/responses', { ...asked, scope: '*' }, token, { model, input: asked.q, tools, stream }),
    )
  }

const responses: Record<string, Door> = {
  REST: (asked, token) => cited(asked, token, queryOf(asked)),
  response: responseOf('svc-answer', false),
  'streamed response': responseOf('svc-answer', true),
}

/** What the model of searches shows is what is found. */
const shows: Record<string, Door> = {
  REST: async (asked, token) => {
    const { via, ids } = await (searches.REST as Door)(asked, token)
    return { via, ids }
  },
  response: responseOf('svc-search', false),
  'streamed response': responseOf('svc-search', true),
}

/** The last rows, oldest first. Those of refusals are written in the background. */
const rowsOf = async (count: number): Promise<Reply['body'][]> => {
  const { rows } = (await app.call('GET', '/v1/audit?limit=100', { token: keeper })).body
  const run = rows.filter(({ action }: { action: string }) => action !== 'request.refused')
  return run.slice(0, count).toReversed()
}

/** What is not the request's own: when, and in which place of the log. */
const essence = ({ principal_id, action, target, outcome, detail: { via: _, ...detail } }: Wild) => ({
  ...{ principal_id, action, target, outcome, detail },
})

async function compare(doors: Record<string, Door>, asked: Asked, token: string, said: string): Promise<Shown> {
  const seen: Shown[] = []
  for (const door of Object.values(doors)) seen.push(await door(asked, token))
  const [first] = seen
  if (!first) throw new Error('there are no doors')
  for (const [i, name] of Object.keys(doors).entries()) {
    const { via: _, ...same } = seen[i] ?? first
    expect(same, `${name}: ${said}`).toEqual({ ids: first.ids, ...(first.scores && { scores: first.scores }) })
  }
  if (first.ids === null) return first
  const rows = await rowsOf(seen.length)
  expect(
    rows.map(({ detail }) => detail.via),
    said,
  ).toEqual(seen.map(({ via }) => via))
  expect(rows.map(essence), said).toEqual(rows.map(() => essence(rows[0])))
  return first
}

test('one request has the same hits, the same rights and the same audit rows through every door', async () => {
  const counts = { found: 0, refused: 0, empty: 0, cited: 0 }
  await forAllRuns(shortOrLong(2, 4), async (draw, run) => {
    await fill(draw, `port-${run}`)
    for (let request = 0; request < 15; request++) {
      const asked = {
        q: Array.from({ length: 1 + draw.upTo(2) }, () => draw.pick(words)).join(' '),
        scope: draw.pick([...scopes, '*']),
        top_k: draw.pick([1, 3, 10, 50]),
        year: draw.chance(25) ? 1900 + draw.upTo(3) : null,
        doc: draw.chance(25) ? `doc-${draw.upTo(5)}` : null,
        min_score: draw.chance(25) ? draw.upTo(90) / 100 : 0,
      }
      const token = draw.pick(actors)
      const said = `reader-${actors.indexOf(token)} ${JSON.stringify(asked)}`
      const { ids } = await compare(searches, asked, token, said)
      counts[ids === null ? 'refused' : ids.length === 0 ? 'empty' : 'found'] += 1
      if (draw.chance(25)) await compare(answers, { ...asked, min_score: 0 }, token, said)
      if (draw.chance(25)) await compare(shows, asked, token, said)
      if (!draw.chance(25)) continue
      const question = { ...asked, q: `What keeps watch at the ${draw.pick(words)}?` }
      for (const doors of [chats, responses]) {
        const { ids } = await compare(doors, question, token, said)
        counts.cited += ids?.length ? 1 : 0
      }
    }
  })
  // Of each kind enough to tell.
  expect(counts.found).toBeGreaterThan(10)
  expect(counts.refused).toBeGreaterThan(3)
  expect(counts.cited).toBeGreaterThan(0)
}, 300_000)

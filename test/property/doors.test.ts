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
}

/** What a door shows of its hits, best first; null if it refuses. */
interface Shown {
  via: string | undefined
  ids: string[] | null
  scores?: number[]
}

type Door = (asked: Asked, token: string) => Promise<Shown>

const filtersOf = ({ year }: Asked) => (year === null ? {} : { filters: { metadata: { year } } })
const queryOf = ({ q, top_k, ...asked }: Asked) => ({ q, top_k, ...filtersOf(asked as Asked) })

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

const graphql = async (field: 'search' | 'answer', { scope, year, q, top_k }: Asked, token: string) => {
  const input = { q, topK: top_k, ...filtersOf({ q, scope, top_k, year }) }
  const query = `query ($input: SearchInput!) { ${field}(input: $input) { hits { unitId score } } }`
  const { body } = await app.graphql(query, { input }, { token, scope })
  return shown(undefined, body.data?.[field]?.hits, (hit) => hit.unitId)
}

const openai = (path: string, { scope }: Asked, token: string, body: object) =>
  app.call('POST', `/openai/v1${path}`, { token, scope, body })
const storeFilter = ({ year }: Asked) => (year === null ? {} : { filters: { type: 'eq', key: 'year', value: year } })

const searches: Record<string, Door> = {
  REST: async (asked, token) => {
    const { body } = await app.call('POST', '/v1/search', { token, scope: asked.scope, body: queryOf(asked) })
    return shown(undefined, body.hits, unitId)
  },
  GraphQL: (asked, token) => graphql('search', asked, token),
  MCP: async (asked, token) => {
    const { q: query, top_k } = asked
    return shown(
      'mcp',
      resultsOf(await tool('search', { query, top_k, ...filtersOf(asked) }, asked, token)),
      ({ id }) => id,
    )
  },
  OpenAI: async (asked, token) => {
    const body = { query: asked.q, max_num_results: asked.top_k, ...storeFilter(asked) }
    const reply = await app.call('POST', `/openai/v1/vector_stores/${encodeURIComponent(asked.scope)}/search`, {
      token,
      body,
    })
    return shown('openai', reply.body.data, unitId)
  },
  Dify: async (asked, token) => {
    const conditions = [{ name: ['year'], comparison_operator: '=', value: `${asked.year}` }]
    const { body } = await app.call('POST', '/dify/retrieval', {
      token,
      body: {
        ...{ knowledge_id: asked.scope, query: asked.q, retrieval_setting: { top_k: asked.top_k } },
        ...(asked.year !== null && { metadata_condition: { logical_operator: 'and', conditions } }),
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
    const { q: question, top_k } = asked
    const args = { question, top_k, ...filtersOf(asked) }
    return shown('mcp', resultsOf(await tool('answer', args, asked, token)), ({ id }) => id)
  },
}

/** What a chat and a response cite: they show no hits, and take neither a number of them nor a filter. */
const chats: Record<string, Door> = {
  REST: async (asked, token) => {
    const { body } = await app.call('POST', '/v1/answer', { token, scope: asked.scope, body: { q: asked.q } })
    return { via: undefined, ids: body.answer?.citations.map(unitId) ?? null }
  },
  chat: async (asked, token) => {
    const messages = [{ role: 'user', content: asked.q }]
    const { body } = await openai('/chat/completions', asked, token, { model: 'svc-answer', messages })
    return { via: 'openai', ids: JSON.parse(body.metadata?.citations ?? 'null')?.map(unitId) ?? null }
  },
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
      }
      const token = draw.pick(actors)
      const said = `reader-${actors.indexOf(token)} ${JSON.stringify(asked)}`
      const { ids } = await compare(searches, asked, token, said)
      counts[ids === null ? 'refused' : ids.length === 0 ? 'empty' : 'found'] += 1
      if (draw.chance(25)) await compare(answers, asked, token, said)
      if (!draw.chance(25)) continue
      const question = { ...asked, q: `What keeps watch at the ${draw.pick(words)}?` }
      const cited = await compare(chats, question, token, said)
      counts.cited += cited.ids?.length ? 1 : 0
    }
  })
  // Of each kind enough to tell.
  expect(counts.found).toBeGreaterThan(10)
  expect(counts.refused).toBeGreaterThan(3)
  expect(counts.cited).toBeGreaterThan(0)
}, 300_000)

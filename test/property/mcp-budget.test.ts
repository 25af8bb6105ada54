import { afterAll, beforeAll, expect, test } from 'vitest'
import { shortOrLong } from '../support/amounts.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { type Draw, forAllRuns } from './draw.ts'

let app: TestApp
let token: string
let ids: string[] = []

const words = ['anchor', 'berth', 'crane', 'dredger', 'ferry', 'Größe', '港口', '⚓', 'a"quoted\\one']
const docs = ['log', 'manual', '港'.repeat(128)]

function drawText(draw: Draw): string {
  const sentence = () => `${Array.from({ length: 1 + draw.upTo(14) }, () => draw.pick(words)).join(' ')}. `
  if (draw.chance(5)) return '港'.repeat(1 + draw.upTo(5_000))
  return Array.from({ length: 1 + draw.upTo(draw.pick([2, 30, 200])) }, sentence).join('')
}

const drawUnit = (draw: Draw) => ({
  acl_groups: ['*'],
  text: drawText(draw),
  scope: `yard/${draw.upTo(9)}`,
  doc_id: draw.pick(docs),
  metadata: draw.chance(20)
    ? { note: draw.pick(words).repeat(1 + draw.upTo(300)), list: words }
    : { year: draw.upTo(3) },
  ...(draw.chance(20) && { source_uri: `https://example.com/${'long'.repeat(draw.upTo(400))}` }),
  ...(draw.chance(20) && { external_id: `${draw.upTo(1_000_000)}${'港'.repeat(draw.upTo(100))}` }),
})

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'keeper', namespace: 'coast' })
})
afterAll(() => app.close())

// biome-ignore lint/suspicious/noExplicitAny: the wire has no types
async function call(name: string, args: object): Promise<any> {
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const reply = await app.call('POST', '/mcp', { token, headers, body })
  const message = typeof reply.body === 'string' ? JSON.parse(/^data: (.*)$/m.exec(reply.body)?.[1] ?? '') : reply.body
  const { isError, structuredContent, content } = message.result
  expect(isError, content[0].text).toBeUndefined()
  return structuredContent
}

/** As the service estimates them. */
const tokensOf = (value: unknown) => Math.ceil(Buffer.byteLength(JSON.stringify(value)) / 3)

const maxTokens = 100_000

const runs = shortOrLong(3, 20)

function drawCall(draw: Draw): [name: string, args: Record<string, unknown>] {
  const query = Array.from({ length: 1 + draw.upTo(4) }, () => draw.pick(words)).join(' ')
  const top_k = draw.pick([1, 5, 10, 50])
  switch (
    draw.pick(['search', 'search', 'search', 'answer', 'fetch', 'neighbours', 'outline', 'list_scopes', 'whoami'])
  ) {
    case 'search': {
      const grouped = draw.chance(30) && { group_by: 'doc_id', group_size: 1 + draw.upTo(4) }
      const more = draw.chance(30) && { facets: ['scope', 'docId', 'metadata.note'], snippet_length: draw.upTo(2000) }
      return ['search', { query, top_k, ...grouped, ...more }]
    }
    case 'answer':
      return ['answer', { question: `${query}?`, top_k }]
    case 'fetch':
      return ['fetch', { id: draw.pick(ids) }]
    case 'neighbours':
      return ['neighbours', { id: draw.pick(ids), before: draw.upTo(20), after: draw.upTo(20) }]
    case 'outline':
      return ['outline', { doc_id: draw.pick(docs) }]
    case 'list_scopes':
      return ['list_scopes', {}]
    default:
      return ['whoami', {}]
  }
}

/** The argument with which a call continues, and the list that it continues. */
const lists: Record<string, [argument: string, list: string]> = {
  search: ['offset', 'results'],
  outline: ['cursor', 'headings'],
  list_scopes: ['cursor', 'scopes'],
}

/** All items, however many calls of this budget it takes. */
async function readOn(name: string, args: Record<string, unknown>, max_tokens: number): Promise<unknown[]> {
  const [argument, list] = lists[name] ?? ['', '']
  const items: unknown[] = []
  for (let next: number | undefined = 0; next !== undefined; ) {
    const page = await call(name, { ...args, max_tokens, [argument]: next })
    items.push(...page[list].map((item: Record<string, unknown>) => item.id ?? item.scope))
    const said = new RegExp(`go on with ${argument} = (\\d+)`).exec(page.cut ?? '')?.[1]
    if (said !== undefined) expect(Number(said)).toBeGreaterThan(next)
    next = said === undefined ? (page.next_cursor ?? undefined) : Number(said)
    if (name === 'search' && items.length >= Number(args.top_k)) break
  }
  return name === 'search' ? items.slice(0, Number(args.top_k)) : items
}

async function fill(draw: Draw): Promise<void> {
  for (let batch = 0; batch < 3; batch++) {
    const units = Array.from({ length: 25 }, () => ({ ...drawUnit(draw) }))
    const { body } = await app.call('POST', '/v1/ingest', { token, body: { units } })
    expect(body.indexed).toBe(true)
    ids = [...ids, ...body.units.map(({ unit_id }: { unit_id: string }) => unit_id)]
  }
  const titles = Array.from({ length: 60 }, (_, i) => ({
    text: 'x',
    scope: 'yard',
    docId: draw.pick(docs),
    title: `${draw.pick(words)} > ${i} ${'港'.repeat(draw.upTo(300))}`,
  }))
  const ingest = 'mutation ($input: IngestInput!) { ingest(input: $input) { indexed } }'
  const { body } = await app.graphql(ingest, { input: { units: titles } }, { token })
  expect(body.data.ingest.indexed).toBe(true)
}

test('the result of every tool is within its budget, is cut at a sentence, and can be read on', async () => {
  let [calls, cut] = [0, 0]
  await forAllRuns(runs, async (draw) => {
    if (ids.length === 0) await fill(draw)
    for (let i = 0; i < 10; i++) {
      calls += 1
      const [name, args] = drawCall(draw)
      const whole = await call(name, { ...args, max_tokens: maxTokens })
      const max_tokens = draw.pick([500, 501, 700, 1000, 2000, 4000, undefined])
      const result = await call(name, { ...args, ...(max_tokens && { max_tokens }) })
      const said = `${name} ${JSON.stringify(args)} in ${max_tokens}`
      expect(tokensOf(result), said).toBeLessThanOrEqual(max_tokens ?? 4000)
      if (tokensOf(whole) <= (max_tokens ?? 4000)) {
        expect(result, said).not.toHaveProperty('cut')
        continue
      }
      cut += 1
      expect(result.cut, said).toMatch(/larger max_tokens/)
      if (result.text !== undefined && result.text !== whole.text) {
        expect(whole.text.startsWith(result.text), said).toBe(true)
        expect(result.next_offset, said).toBe(result.text.length)
      }
      // Fifty hits would take fifty calls.
      if (name in lists && args.top_k !== 50 && draw.chance(25)) {
        const [, list] = lists[name] ?? []
        const expected = whole[list ?? ''].map((item: Record<string, unknown>) => item.id ?? item.scope)
        expect(await readOn(name, args, max_tokens ?? 4000), said).toEqual(expected)
      }
    }
  })
  expect(cut).toBeGreaterThan(calls / 5)
}, 300_000)

import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let token: string

beforeAll(async () => {
  app = await boot({ config: { audit: { reads: 'sync' } } })
  token = await app.principal({ id: 'keeper', namespace: 'coast' })
  const units = [
    {
      text: 'The keeper lights the lamp.',
      external_id: 'lamp',
      metadata: { year: 1907, kind: 'note', path: 'log.md' },
    },
    { text: 'The lamp needs oil.', external_id: 'oil', metadata: { year: 1990, kind: 'order', path: 'shop.txt' } },
    { text: 'The lamp is red.', external_id: 'red' },
  ]
  await app.call('POST', '/v1/ingest', { token, scope: 'harbour/east', body: { units } })
})
afterAll(() => app.close())

const retrieve = (body: object, as: string | undefined = token) =>
  app.call('POST', '/dify/retrieval', {
    ...(as !== undefined && { token: as }),
    body: { knowledge_id: 'harbour/east', query: 'lamp', retrieval_setting: { top_k: 5, score_threshold: 0 }, ...body },
  })

test('records are the hits of a scope', async () => {
  const { status, body } = await retrieve({ query: 'keeper lights lamp', retrieval_setting: { top_k: 1 } })
  expect(status).toBe(200)
  expect(body.records).toEqual([
    {
      content: 'The keeper lights the lamp.',
      score: expect.any(Number),
      title: 'lamp',
      metadata: expect.objectContaining({
        year: 1907,
        scope: 'harbour/east',
        url: expect.stringContaining('/view?unit='),
      }),
    },
  ])
  const rows = (await app.call('GET', '/v1/audit?limit=5', { token })).body.rows
  expect(rows[0]).toMatchObject({ action: 'search.run', detail: { via: 'dify', top_k: 1 } })
})

const condition = (name: string, comparison_operator: string, value?: unknown) => ({
  name: [name],
  comparison_operator,
  ...(value !== undefined && { value }),
})

test.for([
  ['and', [condition('kind', 'is', 'note')], ['lamp']],
  ['and', [condition('year', '=', '1907')], ['lamp']],
  ['and', [condition('year', '≥', 1907), condition('kind', 'in', 'order, other')], ['oil']],
  ['and', [condition('year', '>', 1907)], ['oil']],
  ['and', [condition('year', '<', '1990')], ['lamp']],
  ['and', [condition('year', '≤', 1990)], ['lamp', 'oil']],
  ['and', [condition('year', 'before', 1950)], ['lamp']],
  ['and', [condition('year', 'after', 1950)], ['oil']],
  ['and', [condition('year', '≠', 1907)], ['oil', 'red']],
  ['and', [condition('kind', 'is not', 'note')], ['oil', 'red']],
  ['and', [condition('kind', 'not in', ['note'])], ['oil', 'red']],
  ['and', [condition('kind', 'contains', 'ot')], ['lamp']],
  ['and', [condition('kind', 'not contains', 'ot')], ['oil', 'red']],
  ['and', [condition('path', 'start with', 'shop')], ['oil']],
  ['and', [condition('path', 'end with', '.md')], ['lamp']],
  ['and', [condition('path', 'end with', '.md'), condition('year', '>', 1950)], []],
  ['or', [condition('path', 'end with', '.md'), condition('year', '>', 1950)], ['lamp', 'oil']],
  ['or', [condition('kind', 'is', 'note'), condition('kind', 'empty')], ['lamp', 'red']],
  ['and', [condition('kind', 'not empty')], ['lamp', 'oil']],
  ['and', [condition('kind', 'not null')], ['lamp', 'oil']],
  ['or', [condition('kind', 'is', 'note'), condition('kind', 'null')], ['lamp', 'red']],
  // As its source sends it: the name by itself, and a value where there is none.
  ['and', [{ name: 'year', comparison_operator: '=', value: 1907 }], ['lamp']],
  ['and', [{ name: 'kind', comparison_operator: 'not empty', value: null }], ['lamp', 'oil']],
  ['and', [{ name: ['other', 'kind'], comparison_operator: 'is', value: 'note' }], ['lamp']],
] as const)('%s %j', async ([logical_operator, conditions, expected]) => {
  const { status, body } = await retrieve({ metadata_condition: { logical_operator, conditions } })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.records.map(({ title }: { title: string }) => title).sort()).toEqual(expected)
})

test("errors have Dify's codes", async () => {
  const wrong = { authorization: 'Token x' }
  expect(await app.call('POST', '/dify/retrieval', { headers: wrong, body: {} })).toMatchObject({
    status: 403,
    body: { error_code: 1001 },
  })
  expect(await retrieve({}, 'svc_sk_no_1')).toMatchObject({ status: 403, body: { error_code: 1002 } })
  expect(await retrieve({ knowledge_id: 'nowhere' })).toMatchObject({ status: 404, body: { error_code: 2001 } })
  const stranger = await app.principal({
    id: 'guest',
    namespace: 'coast',
    grants: [{ scope: 'other', perms: ['read'] }],
  })
  expect(await retrieve({}, stranger)).toMatchObject({ status: 404, body: { error_code: 2001 } })
  for (const [sent, field] of [
    [{ query: '' }, 'query'],
    [{ query: Array.from({ length: 65 }, (_, i) => `"${i}"`).join(' ') }, 'query'],
    [{ retrieval_setting: { top_k: 99 } }, 'retrieval_setting.top_k'],
    [
      { metadata_condition: { conditions: [condition('a', 'like', 'b')] } },
      'metadata_condition.conditions[0].comparison_operator',
    ],
  ] as const)
    expect(await retrieve(sent)).toMatchObject({
      status: 400,
      body: { error_code: 400, error_msg: expect.stringContaining(`${field}: `) },
    })
})

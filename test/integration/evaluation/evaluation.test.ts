import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'
import { evaluationsOf } from '../../support/evaluations.ts'

let app: TestApp
let golden: ReturnType<typeof evaluationsOf>
beforeAll(async () => {
  app = await boot()
  golden = evaluationsOf(app)
})
afterAll(() => app.close())

const texts = {
  pump: 'The bilge pump of engine 7 is serviced every 90 days by the yard.',
  cat: 'The ferry cat is called Bollard and sleeps on the chart table.',
  paint: 'The hull of the ferry was painted green in the yard last spring.',
  secret: 'The secret reserve of fuel lies behind the boathouse at pier 9.',
}

/** Creates a namespace with Units for `insider`, an admin in the secret Unit's group, and an admin outside of it. */
async function lab(name: string) {
  const insider = await app.principal({ id: `insider-${name}`, namespace: name, groups: ['crew'] })
  const outsider = await app.principal({ id: `outsider-${name}`, namespace: name })
  const units = Object.entries(texts).map(([external_id, text]) => ({
    external_id,
    text,
    acl_groups: [external_id === 'secret' ? 'crew' : '*'],
  }))
  const { body } = await app.call('POST', '/v1/ingest', { token: insider, scope: 'yard', body: { units } })
  expect(body).toMatchObject({ indexed: true })
  const ids: Record<string, string> = {}
  for (const unit of body.units) ids[unit.external_id] = unit.unit_id
  return { insider, outsider, id: (unit: keyof typeof texts) => ids[unit] ?? '' }
}

type Figures = Record<string, number>
const meansOf = (run: { report: { evals: { metric: string; mean: number }[] } }): Figures =>
  Object.fromEntries(run.report.evals.map(({ metric, mean }) => [metric, mean]))
const valuesOf = ({ values }: { values: { metric: string; value: number }[] }): Figures =>
  Object.fromEntries(values.map(({ metric, value }) => [metric, value]))

describe('a run', () => {
  test('scores what the same search and answer give the caller', async () => {
    const { insider: token, id } = await lab('scored')
    const queries = [
      { q: 'how often is the bilge pump serviced', expectedUnitIds: [id('pump')], expectedAnswers: ['every 90 days'] },
      // The first hit is a different Unit, and one of the expected Units does not exist.
      { q: 'painted in the yard', expectedUnitIds: [id('pump'), 'unknown'] },
      { q: 'what is the ferry cat called', expectedExternalIds: ['cat'], expectedAnswers: ['Tom', 'Bollard'] },
    ]
    await golden.create(queries, { token })
    const { run, scores } = await golden.finish({ limit: 2 }, { token })
    expect(scores).toHaveLength(3)

    for (const [i, { q, expectedUnitIds, expectedExternalIds = [] }] of queries.entries()) {
      const { body } = await app.call('POST', '/v1/search', { token, body: { q, top_k: 50 } })
      const found: boolean[] = body.hits.map((hit: { unit_id: string; external_id: string }) =>
        expectedUnitIds ? expectedUnitIds.includes(hit.unit_id) : expectedExternalIds.includes(hit.external_id),
      )
      const expected = expectedUnitIds?.length ?? expectedExternalIds.length
      const first = found.indexOf(true)
      const values = valuesOf(scores[i])
      expect(values['mrr@50']).toBeCloseTo(1 / (first + 1), 12)
      expect(values['recall@50']).toBeCloseTo(found.filter(Boolean).length / expected, 12)
      const ideal = expected === 1 ? 1 : 1 + 1 / Math.log2(3)
      expect(values['ndcg@10']).toBeCloseTo(1 / Math.log2(first + 2) / ideal, 12)
      const { answer } = (await app.call('POST', '/v1/answer', { token, body: { q } })).body
      expect(values.answered).toBe(answer.abstained ? 0 : 1)
      expect(values.faithfulness).toBe(answer.nli_faithfulness ?? undefined)
    }
    const [pump, paint, cat] = scores.map(valuesOf)
    expect(pump).toMatchObject({ 'ndcg@10': 1, answered: 1, citation_precision: 1, answer_recall: 1 })
    expect(paint).toMatchObject({ 'mrr@50': 0.5, 'recall@50': 0.5, citation_precision: 0 })
    expect(cat).toMatchObject({ 'ndcg@10': 1, answer_recall: 1 })

    const { report } = run
    expect(report).toMatchObject({ queries: 3, degraded: 0 })
    expect(meansOf(run)['mrr@50']).toBeCloseTo((1 + 0.5 + 1) / 3, 12)
    for (const { metric, mean, low, high, queries: asked } of report.evals) {
      expect(low, metric).toBeLessThanOrEqual(mean)
      expect(high, metric).toBeGreaterThanOrEqual(mean)
      expect(asked, metric).toBe(metric === 'answer_recall' ? 2 : 3)
    }
    expect(report.benchmarks.map((entry: { operation: string }) => entry.operation)).toEqual(['search', 'answer'])
    for (const { p50Ms, p95Ms } of report.benchmarks) expect(p95Ms).toBeGreaterThanOrEqual(p50Ms)
  })

  test('finds what its caller may read: a hidden Unit is one that does not exist', async () => {
    const { insider, outsider, id } = await lab('visibility')
    const q = 'where is the secret reserve of fuel'
    const measure = async (token: string, expected: object) => {
      await golden.create([{ q, ...expected }], { token })
      const { run, scores } = await golden.finish({}, { token })
      return { values: valuesOf(scores[0]), evals: run.report.evals }
    }
    const seen = await measure(insider, { expectedUnitIds: [id('secret')] })
    expect(seen.values).toMatchObject({ 'ndcg@10': 1, 'recall@50': 1, citation_precision: 1 })
    const hidden = await measure(outsider, { expectedUnitIds: [id('secret')] })
    const unknown = await measure(outsider, { expectedUnitIds: ['no-such-unit'] })
    expect(hidden).toEqual(unknown)
    expect(hidden.values).toMatchObject({ 'ndcg@10': 0, 'recall@50': 0, 'mrr@50': 0 })
    expect(await measure(outsider, { expectedExternalIds: ['secret'] })).toEqual(
      await measure(outsider, { expectedExternalIds: ['no-such-unit'] }),
    )
  })

  test('continues where it stood, and counts each query once, also when calls race', async () => {
    const { insider: token, id } = await lab('race')
    const queries = Array.from({ length: 7 }, (_, i) => ({ q: `ferry ${i}`, expectedUnitIds: [id('cat')] }))
    const { data: written } = await golden.create(queries, { token })
    const first = await golden.evaluate({ limit: 1 }, { token })
    expect(first.data.run).toMatchObject({ asked: 1, total: 7, report: null, finishedAt: null })
    const { id: run } = first.data.run
    const raced = await Promise.all(Array.from({ length: 4 }, () => golden.evaluate({ run, limit: 2 }, { token })))
    let { data: last } = await golden.evaluate({ run, limit: 1 }, { token })
    while (last.run.report === null) last = (await golden.evaluate({ run, limit: 2 }, { token })).data
    expect(last.run).toMatchObject({ asked: 7, report: { queries: 7 } })
    const scored = [first, ...raced].flatMap(({ data }) =>
      data.scores.map((s: { goldenQueryId: string }) => s.goldenQueryId),
    )
    expect(new Set(scored).size).toBe(scored.length)
    expect(written.ids).toEqual(expect.arrayContaining(scored))
    const again = await golden.evaluate({ run }, { token })
    expect(again.data).toMatchObject({ run: { asked: 7, finishedAt: last.run.finishedAt }, scores: [] })
  })

  test('ends when the queries that it had left are deleted', async () => {
    const { insider: token, id } = await lab('shrunk')
    const queries = ['cat', 'pump', 'hull'].map((q) => ({ q, expectedUnitIds: [id('cat')] }))
    const { data } = await golden.create(queries, { token })
    const { data: begun } = await golden.evaluate({ limit: 1 }, { token })
    expect((await golden.remove([...data.ids.slice(1), 'unknown'], { token })).data).toEqual({ deleted: 2 })
    await golden.create([{ q: 'later', expectedAnswers: ['later'] }], { token })
    const { data: ended } = await golden.evaluate({ run: begun.run.id }, { token })
    expect(ended.run.report).toMatchObject({ queries: 1 })
  })

  test("is its principal's own, and of one scope", async () => {
    const { insider, outsider } = await lab('own')
    await golden.create(
      [
        { q: 'cat', expectedExternalIds: ['cat'] },
        { q: 'b', expectedAnswers: ['b'] },
      ],
      { token: insider },
    )
    const { data } = await golden.evaluate({ limit: 1 }, { token: insider, scope: 'yard' })
    expect(data.run).toMatchObject({ principalId: 'insider-own', scope: 'yard' })
    const run = data.run.id
    const foreign = await golden.evaluate({ run }, { token: outsider, scope: 'yard' })
    expect(foreign).toEqual(await golden.evaluate({ run: 'eval_none' }, { token: outsider, scope: 'yard' }))
    expect(foreign.error).toMatchObject({ status: 404, code: 'not_found' })
    expect((await golden.evaluate({ run }, { token: insider })).error).toMatchObject({ status: 400 })
    expect((await golden.evaluate({ run, rerank: true }, { token: insider })).error?.detail).toMatch(/^rerank: /)
    expect((await golden.runs({ token: outsider })).data.runs).toMatchObject([{ id: run, asked: 1, report: null }])
  })

  test('asks in the scope of the query, unless another one is requested', async () => {
    const { insider: token } = await lab('scopes')
    await app.call('POST', '/v1/scopes', { token, body: { scope: 'empty' } })
    await golden.create([{ q: 'ferry cat', scope: 'empty', expectedExternalIds: ['cat'] }], { token })
    expect(meansOf((await golden.finish({}, { token })).run)['recall@50']).toBe(0)
    expect(meansOf((await golden.finish({}, { token, scope: 'yard' })).run)['recall@50']).toBe(1)
  })

  test('takes an admin who may read, and leaves nothing behind of one who may not', async () => {
    const token = await app.principal({ id: 'blind', namespace: 'blind', grants: [{ scope: '*', perms: ['admin'] }] })
    await golden.create([{ q: 'x', expectedAnswers: ['x'] }], { token })
    expect((await golden.evaluate({}, { token })).error).toMatchObject({ status: 403, code: 'forbidden' })
    expect((await golden.runs({ token })).data.runs).toEqual([])
  })

  test('reranks on request, as the same search would', async () => {
    const token = await app.principal({ id: 'reranker', namespace: 'reranked' })
    const filler = 'gull tide rope net sail mast hull keel deck oar bow stern wake fog buoy '
    // The shorter text scores a little higher, but contains the query late.
    const units = [
      { external_id: 'late', text: `${filler}${filler}winch` },
      { external_id: 'early', text: `winch ${filler}${filler}shore` },
    ]
    await app.call('POST', '/v1/ingest', { token, scope: 'yard', body: { units } })
    const q = 'winch'
    await golden.create([{ q, expectedExternalIds: ['late'] }], { token })
    const ranks: number[] = []
    for (const rerank of [false, true]) {
      const { run } = await golden.finish({ rerank, answers: false }, { token })
      const { body } = await app.call('POST', '/v1/search', { token, body: { q, rerank, top_k: 50 } })
      ranks.push(1 + body.hits.findIndex((hit: { external_id: string }) => hit.external_id === 'late'))
      expect(run).toMatchObject({ rerank, answers: false })
      expect(meansOf(run)['mrr@50']).toBeCloseTo(1 / (ranks.at(-1) ?? 0), 12)
    }
    expect(ranks).toEqual([1, 2])
  })

  test('on Free measures searches alone', async () => {
    const token = await app.principal({ id: 'fay', namespace: 'small', tier: 'free' })
    expect((await golden.evaluate({}, { token })).error).toMatchObject({
      status: 400,
      detail: 'the namespace has no golden queries: create some first',
    })
    await golden.create([{ q: 'x', expectedExternalIds: ['x'], expectedAnswers: ['x'] }], { token })
    expect((await golden.evaluate({ answers: true }, { token })).error).toMatchObject({
      status: 402,
      code: 'upgrade_required',
    })
    const { run } = await golden.finish({}, { token })
    expect(Object.keys(meansOf(run))).toEqual(['ndcg@10', 'recall@50', 'mrr@50'])
  })
})

describe('golden queries', () => {
  test('are replaced when they are sent again, and listed in pages', async () => {
    const token = await app.principal({ id: 'keeper', namespace: 'kept' })
    const queries = Array.from({ length: 3 }, (_, i) => ({ q: `q${i}`, expectedUnitIds: [`u${i}`] }))
    const first = await golden.create(queries, { token })
    expect(first.data).toMatchObject({ created: 3, updated: 0 })
    const changed = { q: 'q1', expectedExternalIds: ['other'] }
    const second = await golden.create([changed, { ...changed, scope: 'a/b' }], { token })
    expect(second.data).toMatchObject({ created: 1, updated: 1 })
    expect(second.data.ids[0]).toBe(first.data.ids[1])
    const page = await golden.list({ limit: 2 }, { token })
    expect(page.data).toMatchObject({ count: 4, nextCursor: 2 })
    expect(page.data.queries[1]).toMatchObject({
      q: 'q1',
      expectedUnitIds: [],
      expectedExternalIds: ['other'],
      scope: null,
    })
    const rest = await golden.list({ cursor: 2 }, { token })
    expect(rest.data).toMatchObject({ queries: [{ q: 'q2' }, { q: 'q1', scope: 'a/b' }], nextCursor: null })
  })

  test.each([
    [{ q: ' ', expectedAnswers: ['a'] }, /^queries\[0\]\.q: /],
    [{ q: 'q' }, /^queries\[0\]: must expect/],
    [{ q: 'q', expectedUnitIds: ['a', 'a'] }, /^queries\[0\]\.expectedUnitIds: /],
    [{ q: 'q', expectedAnswers: [' ?! '] }, /^queries\[0\]\.expectedAnswers\[0\]: must contain a word/],
    [{ q: 'q', expectedAnswers: ['a'], scope: '../up' }, /^queries\[0\]\.scope: /],
    [{ q: 'a\0b', expectedAnswers: ['a'] }, /^queries\[0\]\.q: /],
  ])('refuses %j', async (query, problem) => {
    const token = await app.principal({ id: 'strict', namespace: 'strict' })
    const { error } = await golden.create([query], { token })
    expect(error).toMatchObject({ status: 400, code: 'bad_request', detail: expect.stringMatching(problem) })
    expect((await golden.list({}, { token })).data.count).toBe(0)
  })

  test('are at most 1,000, and none of a batch beyond that is written', async () => {
    const token = await app.principal({ id: 'hoarder', namespace: 'hoard' })
    const many = Array.from({ length: 999 }, (_, i) => ({ q: `q${i}`, expectedAnswers: ['a'] }))
    expect((await golden.create(many, { token })).data).toMatchObject({ created: 999 })
    const two = [
      { q: 'new', expectedAnswers: ['a'] },
      { q: 'newer', expectedAnswers: ['a'] },
    ]
    expect((await golden.create(two, { token })).error).toMatchObject({ status: 400 })
    expect((await golden.list({}, { token })).data.count).toBe(999)
    const doubled = [...two, { q: 'new', expectedAnswers: ['b'] }]
    expect((await golden.create(doubled, { token })).error?.detail).toMatch(/^queries\[2\]\.q: must not repeat/)
  })

  test('go with their namespace, and so do its runs', async () => {
    const token = await app.principal({ id: 'leaver', namespace: 'leaving' })
    await golden.create([{ q: 'q', expectedAnswers: ['a'] }], { token })
    await golden.finish({}, { token })
    const { catalog } = app.runtime.bindings
    const found = await catalog.access.namespace('leaving')
    const id = found?.namespace.id ?? ''
    expect((await catalog.evaluation.runs(id)).count).toBe(1)
    expect((await app.call('DELETE', '/v1/namespaces/leaving', { token })).status).toBe(200)
    expect((await catalog.evaluation.runs(id)).items).toEqual([])
    expect((await catalog.evaluation.queries(id)).count).toBe(0)
  })
})

describe('a published report', () => {
  const read = async (path: string, token: string) => (await app.call('GET', path, { token })).body
  const empty = { benchmarks: [], evals: [], generated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) }

  test('is read by everyone in the namespace, at both routes, and holds aggregates alone', async () => {
    const { insider: token, id } = await lab('shown')
    const reader = await app.principal({
      id: 'shown-reader',
      namespace: 'shown',
      grants: [{ scope: 'yard', perms: ['read'] }],
    })
    for (const path of ['/v1/benchmarks', '/v1/eval']) expect(await read(path, reader)).toEqual(empty)
    const { data } = await golden.create(
      [
        { q: 'ferry cat', expectedUnitIds: [id('cat')] },
        { q: 'hull', expectedAnswers: ['green'] },
      ],
      { token },
    )
    const begun = await golden.evaluate({ limit: 1 }, { token })
    expect((await golden.publish({ run: begun.data.run.id }, { token })).error).toMatchObject({ status: 404 })
    const { run } = await golden.finish({}, { token })
    expect(await read('/v1/eval', reader)).toEqual(empty)
    expect((await golden.publish({ run: run.id }, { token })).data.generatedAt).toBe(
      new Date(run.finishedAt).toISOString(),
    )
    const report = await read('/v1/benchmarks', reader)
    expect(await read('/v1/eval', reader)).toEqual(report)
    const evals = run.report.evals.map((entry: object) => entry)
    const speed = { operation: expect.any(String), p50_ms: expect.any(Number), p95_ms: expect.any(Number), queries: 2 }
    expect(report).toEqual({ evals, benchmarks: [speed, speed], generated_at: new Date(run.finishedAt).toISOString() })
    for (const word of [id('cat'), ...data.ids, run.id, 'ferry', 'green', 'insider']) {
      expect(JSON.stringify(report)).not.toContain(word)
    }
  })

  test('of the service is read where there is none, and only the super-admin makes one', async () => {
    const { insider: token } = await lab('local')
    const elsewhere = await app.principal({ id: 'elsewhere', namespace: 'far-away' })
    const superAdmin = { token: superAdminToken, namespace: 'local' }
    await golden.create([{ q: 'ferry cat', expectedExternalIds: ['cat'] }], { token })
    const own = (await golden.finish({ answers: false }, { token })).run.id
    expect((await golden.publish({ run: own, serviceWide: true }, { token })).error).toMatchObject({ status: 403 })
    const wide = (await golden.finish({ answers: true }, superAdmin)).run
    expect((await golden.publish({ run: wide.id, serviceWide: true }, superAdmin)).error).toBeNull()
    const answered = (report: { evals: { metric: string }[] }) =>
      report.evals.some(({ metric }) => metric === 'answered')
    expect(answered(await read('/v1/eval', elsewhere))).toBe(true)
    await golden.publish({ run: own }, { token })
    expect(answered(await read('/v1/eval', token))).toBe(false)
    expect(answered(await read('/v1/eval', elsewhere))).toBe(true)
    expect((await golden.publish({ run: own }, { token: elsewhere })).error).toMatchObject({ status: 404 })
  })

  test('outlives the runs that make room', async () => {
    const token = await app.principal({ id: 'runner', namespace: 'many-runs' })
    await golden.create([{ q: 'q', expectedAnswers: ['a'] }], { token })
    const { run } = await golden.finish({ answers: false }, { token })
    await golden.publish({ run: run.id }, { token })
    for (let i = 0; i < 101; i++) await golden.evaluate({ answers: false }, { token })
    expect((await golden.runs({ token })).data).toMatchObject({ count: 101, nextCursor: 100 })
    expect((await golden.runs({ token }, 100)).data).toMatchObject({ runs: [{ id: run.id }], nextCursor: null })
    expect(await read('/v1/eval', token)).toMatchObject({ generated_at: new Date(run.finishedAt).toISOString() })
  })
})

test('what is done is audited, in ids and counts', async () => {
  const { insider: token, id } = await lab('logged')
  const { data } = await golden.create([{ q: 'the ferry cat', expectedUnitIds: [id('cat')] }], { token })
  const { run } = await golden.finish({}, { token })
  await golden.publish({ run: run.id }, { token })
  await golden.remove(data.ids, { token })
  const rowsNow = async () => (await app.call('GET', '/v1/audit', { token })).body.rows
  await expect.poll(async () => JSON.stringify(await rowsNow())).toContain('answer.run')
  const rows: { action: string; target: string; detail: object }[] = (await rowsNow()).reverse()
  const ours = rows.filter(({ action }) => /^(golden|evaluation|report)\./.test(action))
  const settings = { answers: true, rerank: false }
  expect(ours.map(({ action, target, detail }) => ({ action, target, detail }))).toEqual([
    { action: 'golden.create', target: null, detail: { created: 1, updated: 0 } },
    { action: 'evaluation.run', target: run.id, detail: { queries: 0, finished: false, ...settings } },
    { action: 'evaluation.run', target: run.id, detail: { queries: 1, finished: true, ...settings } },
    { action: 'report.publish', target: run.id, detail: { service_wide: false } },
    { action: 'golden.delete', target: null, detail: { deleted: 1 } },
  ])
  expect(rows.map(({ action }) => action)).toEqual(expect.arrayContaining(['search.run', 'answer.run']))
  expect(JSON.stringify(rows)).not.toContain('ferry')
})

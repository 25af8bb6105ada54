import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { documentOf, ingestFile, settled } from '../../support/documents/files.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

describe('the form of a vector', () => {
  const dims = 24
  let token: string

  beforeAll(async () => {
    token = await app.principal({ id: 'ada', namespace: 'forms' })
  })

  /** Values that no short decimal gives exactly, as float32. */
  const vectorOf = (seed: number) => Float32Array.from({ length: dims }, (_, i) => Math.sin(seed * 31 + i * 7.3) / 3)
  const numbers = (vector: Float32Array) => [...vector]
  const base64 = (vector: Float32Array) => Buffer.from(vector.buffer).toString('base64')
  const unpadded = (vector: Float32Array) => base64(vector).replace(/=+$/, '')
  const forms = { numbers, base64, unpadded }

  const ingest = (units: object[], namespaceToken = token) =>
    app.call('POST', '/v1/ingest', { token: namespaceToken, scope: 'main', body: { units } })
  const search = (body: object) => app.call('POST', '/v1/search', { token, scope: 'main', body })
  const ingestDocument = 'mutation ($input: IngestInput!) { ingest(input: $input) { units { status } } }'
  const searchDocument = 'query ($input: SearchInput!) { search(input: $input) { hits { externalId score } } }'

  const refusal = (vector: unknown) => ingest([{ text: 'first' }, { text: 'second', vector }]).then(({ body }) => body)

  describe('a vector in base64', () => {
    beforeAll(async () => {
      const written = Object.values(forms)
      const units = Array.from({ length: 300 }, (_, i) => ({
        external_id: `u${i}`,
        text: `unit ${i}`,
        vector: written[i % written.length]?.(vectorOf(i)),
      }))
      expect((await ingest(units)).body.counts).toEqual({ created: 300, updated: 0, unchanged: 0 })
    })

    it('is the same Unit as with the list of its numbers', async () => {
      for (const form of Object.values(forms)) {
        const units = [1, 2, 3].map((i) => ({ external_id: `u${i}`, text: `unit ${i}`, vector: form(vectorOf(i)) }))
        expect((await ingest(units)).body.counts).toEqual({ created: 0, updated: 0, unchanged: 3 })
      }
      const other = { external_id: 'u1', text: 'unit 1', vector: base64(vectorOf(1_000)) }
      expect((await ingest([other])).body.counts.updated).toBe(1)
      await ingest([{ ...other, vector: numbers(vectorOf(1)) }])
    })

    it('finds the same hits with the same scores, over REST and GraphQL', async () => {
      const query = vectorOf(17)
      const [list, ...others] = await Promise.all(
        Object.values(forms).map(
          async (form) => (await search({ q: '', top_k: 50, vector: { text: form(query) } })).body,
        ),
      )
      expect(list.hits).toHaveLength(50)
      expect(list.hits[0].external_id).toBe('u17')
      for (const other of others) expect(other.hits).toEqual(list.hits)
      const hits = list.hits.map(({ external_id, score }: Record<string, unknown>) => ({
        externalId: external_id,
        score,
      }))
      for (const form of Object.values(forms)) {
        const input = { q: '', topK: 50, vector: { text: form(query) } }
        const { body } = await app.graphql(searchDocument, { input }, { token, scope: 'main' })
        expect(body.data.search.hits).toEqual(hits)
      }
    })

    it('has fields of its own over REST', async () => {
      const unit = { external_id: 'u4', text: 'unit 4' }
      expect((await ingest([{ ...unit, vector_base64: base64(vectorOf(4)) }])).body.counts.unchanged).toBe(1)
      const found = await search({ q: '', top_k: 1, vector: { text_base64: unpadded(vectorOf(4)) } })
      expect(found.body.hits[0].external_id).toBe('u4')
      const both = { vector: numbers(vectorOf(4)), vector_base64: base64(vectorOf(4)) }
      for (const [fields, detail] of [
        [both, 'units[0].vector_base64: must not be there beside another form of it'],
        [{ vector_base64: numbers(vectorOf(4)) }, 'units[0].vector_base64: must be a string of base64'],
      ] as const)
        expect((await ingest([{ ...unit, ...fields }])).body).toEqual({ error: 'bad_request', detail, status: 400 })
    })

    it('can stand in a GraphQL document, as the list can', async () => {
      for (const literal of [JSON.stringify(numbers(vectorOf(5))), JSON.stringify(base64(vectorOf(5)))]) {
        const document = `{ search(input: {q: "", topK: 1, vector: {text: ${literal}}}) { hits { externalId } } }`
        const { body } = await app.graphql(document, {}, { token, scope: 'main' })
        expect(body.data.search.hits).toEqual([{ externalId: 'u5' }])
      }
    })

    it('is ingested over GraphQL', async () => {
      const units = Object.values(forms).map((form, i) => ({
        text: `unit ${i}`,
        externalId: `u${i}`,
        vector: form(vectorOf(i)),
      }))
      const { body } = await app.graphql(ingestDocument, { input: { units } }, { token, scope: 'main' })
      expect(body.data.ingest.units).toEqual(units.map(() => ({ status: 'unchanged' })))
    })

    it('is parsed in slices in a large batch, and answers as the list does', async () => {
      const wide = (i: number) => Float32Array.from({ length: 3_000 }, (_, j) => Math.cos(i + j * 0.7))
      const boss = await app.principal({ id: 'wide', namespace: 'wide' })
      const batch = (form: (vector: Float32Array) => unknown) =>
        ingest(
          Array.from({ length: 200 }, (_, i) => ({ external_id: `w${i}`, text: `wide ${i}`, vector: form(wide(i)) })),
          boss,
        )
      expect((await batch(base64)).body.counts.created).toBe(200)
      expect((await batch(numbers)).body.counts.unchanged).toBe(200)
    })
  })

  describe('a vector that cannot be used', () => {
    const encoded = (bytes: readonly number[]) => Buffer.from(bytes).toString('base64')
    const withValue = (value: number) => base64(Float32Array.from({ length: dims }, (_, i) => (i === 3 ? value : 1)))
    const plain = base64(vectorOf(1))

    it.each([
      ['other characters', `${plain.slice(0, -4)}**==`, 'standard base64'],
      ['a space', `${plain.slice(0, 8)} ${plain.slice(8)}`, 'standard base64'],
      ['a line break', `${plain.slice(0, 8)}\n${plain.slice(8)}`, 'standard base64'],
      ['base64url', `-_${plain.slice(2)}`, 'standard base64'],
      ['padding in the middle', 'AAA=AAAA', 'standard base64'],
      ['too much padding', `${plain}=`, 'standard base64'],
      ['padding alone', '====', 'standard base64'],
      ['a digit too many', `${plain}A`, 'standard base64'],
      ['letters beyond ASCII', 'ÀÀÀÀÀÀÀÀ', 'standard base64'],
      ['JSON in a string', '[0.1, 0.2]', 'standard base64'],
      ['three bytes', encoded([1, 2, 3]), '4 bytes for each number'],
      ['one byte more', encoded([...Buffer.from(vectorOf(1).buffer), 0]), '4 bytes for each number'],
      ['NaN', withValue(Number.NaN), 'finite float32 numbers'],
      ['infinity', withValue(Number.POSITIVE_INFINITY), 'finite float32 numbers'],
      ['minus infinity', withValue(Number.NEGATIVE_INFINITY), 'finite float32 numbers'],
      ['no number', '', 'must be 1 to 4096 finite float32 numbers'],
      ['too many numbers', base64(new Float32Array(4_097)), 'must be 1 to 4096 finite float32 numbers'],
      ['another number of dimensions', base64(vectorOf(1).slice(1)), `must have ${dims} dimensions`],
      ['an object', { 0: 1 }, 'must be a list of finite numbers'],
      ['a number', 7, 'must be a list of finite numbers'],
      ['true', true, 'must be a list of finite numbers'],
    ])('is a 400 that names the field: %s', async (_, vector, problem) => {
      expect(await refusal(vector)).toMatchObject({
        status: 400,
        error: 'bad_request',
        detail: expect.stringMatching(new RegExp(`^units\\[1\\]\\.vector: .*${problem}`)),
      })
      const { status, body } = await search({ q: '', vector: { text: vector } })
      expect([status, body.detail]).toEqual([400, expect.stringMatching(new RegExp(`^vector\\.text: .*${problem}`))])
      const { body: inGraphql } = await app.graphql(
        searchDocument,
        { input: { q: '', vector: { text: vector } } },
        { token, scope: 'main' },
      )
      expect(inGraphql.errors).toHaveLength(1)
      expect(inGraphql.errors[0].message).toMatch(/vector\.text/)
      expect(inGraphql.errors[0].message).toContain(problem)
      expect(inGraphql.errors[0].extensions).toMatchObject({ code: 'bad_request', status: 400 })
    })

    it('is not quoted, however long it is', async () => {
      const { detail } = await refusal('?'.repeat(3_000_000))
      expect(detail.length).toBeLessThan(200)
    })
  })
})

describe('the numbers of a vector', () => {
  let ann: string
  let bob: string

  beforeAll(async () => {
    ann = await app.principal({ id: 'ann', namespace: 'acme' })
    bob = await app.principal({ id: 'bob', namespace: 'acme' })
  })

  const ingest = (token: string, scope: string, units: object[]) =>
    app.call('POST', '/v1/ingest', { token, scope, body: { units } })
  const search = (token: string, scope: string, vector: unknown) =>
    app.call('POST', '/v1/search', { token, scope, body: { q: '', vector: { text: vector } } })
  const base64 = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64')

  /** The same direction at lengths from the smallest f64 to the largest float32. */
  const scales = [5e-324, 1e-320, 1e-45, 1e-38, 1e-20, 1, 1e20, 3.4e38]

  describe('vectors of any length', () => {
    it('are ranked by their directions, also for those who may not read the extreme ones', async () => {
      const units = scales.flatMap((scale) => [
        { external_id: `along ${scale}`, text: 'along', vector: [scale, 0], acl_groups: ['*'] },
        { external_id: `across ${scale}`, text: 'across', vector: [scale, -scale], acl_groups: ['*'] },
        { external_id: `hidden ${scale}`, text: 'hidden', vector: [scale, scale] },
      ])
      expect((await ingest(ann, 'wide', units)).status).toBe(200)
      for (const scale of scales) {
        const { status, body } = await app.call('POST', '/v1/search', {
          token: bob,
          scope: 'wide',
          body: { q: '', top_k: 50, vector: { text: [scale, 0] } },
        })
        expect([scale, status, body.trace?.degraded]).toEqual([scale, 200, []])
        const cosines = body.hits.map((hit: { external_id: string; explain: { score: number }[] }) => [
          hit.external_id.split(' ')[0],
          Number(hit.explain[0]?.score.toFixed(5)),
        ])
        expect(cosines).toEqual([
          ...scales.map(() => ['along', 1]),
          ...scales.map(() => ['across', Number(Math.SQRT1_2.toFixed(5))]),
        ])
      }
    })

    it('are the same Unit at every length, and stay what they are when they are scaled again', async () => {
      const unit = (scale: number) => ({ external_id: 'same', text: 'same', vector: [3 * scale, 4 * scale] })
      await ingest(ann, 'same', [unit(1)])
      for (const scale of [0.2, 2 ** 100, 2 ** -1000])
        expect((await ingest(ann, 'same', [unit(scale)])).body.counts.unchanged).toBe(1)
    })
  })

  const directionless = 'must have a direction: at least one number other than 0'

  describe('a vector without a direction', () => {
    it.each([
      ['zeros', [0, 0]],
      ['negative zeros', [-0, -0]],
      ['zeros in base64', base64(0, -0)],
      ['what is 0 as f64', '[1e-400, 0]'],
    ])('is a 400 that names it: %s', async (_, vector) => {
      const sent = typeof vector === 'string' && vector.startsWith('[') ? vector : JSON.stringify(vector)
      const body = `{"units": [{"text": "fine"}, {"text": "bad", "vector": ${sent}}]}`
      const { body: refused } = await app.call('POST', '/v1/ingest', { token: ann, scope: 'zero', body })
      expect(refused).toEqual({ error: 'bad_request', status: 400, detail: `units[1].vector: ${directionless}` })
      const query = `{"q": "", "vector": {"text": ${sent}}}`
      const asked = await app.call('POST', '/v1/search', { token: ann, scope: 'zero', body: query })
      expect([asked.status, asked.body.detail]).toEqual([400, `vector.text: ${directionless}`])

      const document = 'mutation ($input: IngestInput!) { ingest(input: $input) { seq } }'
      const variables = `{"input": {"units": [{"text": "bad", "vector": ${sent}}]}}`
      const literal = `mutation { ingest(input: {units: [{text: "bad", vector: ${sent}}]}) { seq } }`
      const bodies = [
        `{"query": ${JSON.stringify(document)}, "variables": ${variables}}`,
        JSON.stringify({ query: literal }),
      ]
      for (const text of bodies) {
        const { errors } = (await app.call('POST', '/graphql', { token: ann, scope: 'zero', body: text })).body
        expect(errors).toHaveLength(1)
        expect(errors[0].message).toBe(`units[0].vector: ${directionless}`)
        expect(errors[0].extensions).toMatchObject({ code: 'bad_request', status: 400 })
      }
    })

    it('fails a file of Units, with the place', async () => {
      const bad = '{"text": "one", "vector": [1, 0]}\n{"text": "two", "vector": [0, 0]}\n'
      const { documentId } = await ingestFile(app, ann, 'zero.jsonl', bad, { scope: 'files' })
      await settled(app, ann, documentId)
      const { status, detail } = await documentOf(app, ann, documentId)
      expect([status, detail]).toEqual(['failed', expect.stringContaining(directionless)])
    })
  })

  it('a file of Units keeps vectors at the limits of float32, and refuses base64 that is none', async () => {
    const line = (name: string, vector: unknown) => JSON.stringify({ external_id: name, text: name, vector })
    const file = `${line('far', [3.4e38, 0])}\n${line('near', base64(1e-40, 0))}\n`
    const { documentId } = await ingestFile(app, ann, 'far.jsonl', file, { scope: 'wide' })
    expect(await settled(app, ann, documentId)).toMatchObject({ status: 'ready', units: 2 })
    const { body } = await search(ann, 'wide', [-1, 0])
    expect(body.trace.degraded).toEqual([])
    const bad = await ingestFile(app, ann, 'bad.jsonl', line('bad', '****'), { scope: 'wide' })
    expect(await settled(app, ann, bad.documentId)).toMatchObject({ status: 'failed' })
  })

  describe('numbers at their limits', () => {
    const [least, most] = [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
    const answered = async (query: object) => {
      const body = { q: 'edge', top_k: 50, ...query }
      const reply = await app.call('POST', '/v1/search', { token: ann, scope: 'edge', body })
      expect([query, reply.status, reply.body.trace?.degraded]).toEqual([query, 200, []])
      for (const { score } of reply.body.hits) expect(score >= 0 && score <= 1).toBe(true)
      return reply.body.hits.map((hit: { external_id: string }) => hit.external_id)
    }

    it('in locators come back as they were sent', async () => {
      const locators = [
        { kind: 'time_range', t_start_ms: 0, t_end_ms: most },
        { kind: 'time_range', t_start_ms: most, t_end_ms: most },
        { kind: 'bbox', x: 5e-324, y: 1 - 2 ** -53, w: 1e-300, h: 0 },
        { kind: 'bbox', page: 2 ** 31 - 1, x: 0, y: 0, w: 1, h: 1 },
        { kind: 'char_span', start: 0, end: most },
        { kind: 'line_range', start: most, end: most },
      ]
      const units = locators.map((locator, i) => ({ external_id: `${i}`, text: 'edge', locator, vector: [1, 0] }))
      const { body } = await ingest(ann, 'edge', units)
      for (const [i, { unit_id }] of body.units.entries()) {
        const unit = await app.call('GET', `/v1/units/${unit_id}`, { token: ann, scope: 'edge' })
        expect(unit.body.locator).toMatchObject(locators[i] ?? {})
      }
      const late = { filters: { time_range: { t_start_ms: most, t_end_ms: most } } }
      expect((await answered(late)).toSorted()).toEqual(['0', '1'])
    })

    it('in times, scores and weights give an answer', async () => {
      for (const [created_after, created_before, found] of [
        [least, most, 6],
        [most, most, 0],
        [least, least, 0],
        [-0, most, 6],
      ] as const)
        expect(await answered({ filters: { created_after, created_before } })).toHaveLength(found)
      for (const min_score of [-0, 5e-324, 1e-300]) expect(await answered({ min_score })).toHaveLength(6)
      await answered({ min_score: 1 })
      const document =
        'query ($input: SearchInput!) { search(input: $input) { hits { score explain { weight normalized } } } }'
      for (const vectorWeight of [0, -0, 5e-324, 1e-300, 100])
        for (const diversity of [0, 5e-324, 1])
          for (const q of ['edge', '']) {
            const input = { q, vector: { text: [1, 0] }, vectorWeight, diversity }
            const { body } = await app.graphql(document, { input }, { token: ann, scope: 'edge' })
            expect(body.errors).toBeUndefined()
            expect(body.data.search.hits.length).toBeGreaterThan(0)
          }
    })
  })
})

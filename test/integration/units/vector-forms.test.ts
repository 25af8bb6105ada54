import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

const dims = 24
let app: TestApp
let token: string

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ada', namespace: 'acme' })
})
afterAll(() => app?.close())

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
    ['NaN', withValue(Number.NaN), 'finite numbers'],
    ['infinity', withValue(Number.POSITIVE_INFINITY), 'finite numbers'],
    ['minus infinity', withValue(Number.NEGATIVE_INFINITY), 'finite numbers'],
    ['no number', '', 'must be 1 to 4096 finite numbers'],
    ['too many numbers', base64(new Float32Array(4_097)), 'must be 1 to 4096 finite numbers'],
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

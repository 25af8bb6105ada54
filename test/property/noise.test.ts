import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { planes } from '../../src/model/unit.ts'
import { propertyRuns, shortOrLong } from '../support/amounts.ts'
import { boot, type TestApp } from '../support/boot.ts'

const runs = Math.max(shortOrLong(30, 60), propertyRuns(0))

let app: TestApp
let token: string

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ada', namespace: 'acme' })
})
afterAll(() => app?.close())

/** Alphabets without a letter in common. Words of the first two are their own stems in English. */
const [ours, others, han] = ['abkmopuz', 'cdfghrtw', '汽车大灯更换京都寺本']
const word = (letters: string) =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 9 }).map((some) => some.join(''))
const words = (letters: string, maxLength: number) => fc.array(word(letters), { minLength: 1, maxLength })
const unit = fc.record({
  words: fc.oneof(words(ours, 8), words(han, 2)),
  title: fc.option(words(ours, 2)),
  plane: fc.constantFrom(...planes),
})
const world = fc.record({
  units: fc.array(unit, { minLength: 1, maxLength: 12 }),
  query: fc.oneof(words(ours, 4), words(others, 4), words(han, 2)),
  topK: fc.constantFrom(1, 10, 50),
  rerank: fc.boolean(),
})

const runsOf = (list: readonly string[]) =>
  new Set(
    list.flatMap((one) => {
      const written = `_${one}_`
      return [...written].map((_, i) => written.slice(i, i + 4)).filter((run) => run.length === 4 || run === written)
    }),
  )
const meets = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>) => [...a].some((one) => b.has(one))
const isHan = (list: readonly string[]) => list.every((one) => han.includes(one[0] ?? ''))

/** One of each kind of result: nothing, by letters alone, by words. */
const kinds = ['cdfg', 'abkmopoo', 'abkmopzz'].map(
  (asked): [typeof world extends fc.Arbitrary<infer World> ? World : never] => [
    { units: [{ words: ['abkmopzz'], title: null, plane: 'text' }], query: [asked], topK: 10, rerank: false },
  ],
)

const ingest = 'mutation ($input: IngestInput!) { ingest(input: $input) { indexed } }'

let worlds = 0

test('what shares nothing with a query is not a hit, and what shares letters alone scores .3 at most', async () => {
  const seen = { none: 0, letters: 0, words: 0 }
  await fc.assert(
    fc.asyncProperty(world, async ({ units, query, topK, rerank }) => {
      const at = { token, scope: `noise/w${worlds++}` }
      const sent = units.map(({ words, title, plane }, i) => ({
        externalId: `u${i}`,
        text: words.join(' '),
        title: title?.join(' ') ?? null,
        plane,
        language: 'en',
      }))
      const { body } = await app.graphql(ingest, { input: { units: sent } }, at)
      expect(body.data?.ingest, JSON.stringify(body.errors)).toEqual({ indexed: true })
      const asked = { q: query.join(' '), top_k: topK, rerank }
      const found = await app.call('POST', '/v1/search', { ...at, body: asked })
      expect(found.status).toBe(200)
      for (const { external_id, score } of found.body.hits) {
        const { words, title } = units[Number(external_id.slice(1))] ?? { words: [], title: null }
        const text = [...words, ...(title ?? [])]
        // Where a text has no spaces, a dictionary says what its words are.
        if (isHan(query)) expect(meets(new Set(query.join('')), new Set(text.join('')))).toBe(true)
        else if (!meets(new Set(query), new Set(text))) {
          expect(meets(runsOf(query), runsOf(text))).toBe(true)
          expect(score).toBeLessThanOrEqual(0.3)
          seen.letters += 1
        } else seen.words += 1
      }
      if (found.body.hits.length === 0) seen.none += 1
    }),
    { numRuns: runs, examples: kinds },
  )
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(0)
})

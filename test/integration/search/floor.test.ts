import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { textAnalysis } from '../../../src/adapters/index-embedded/analysis/text-analysis.ts'
import { createLog } from '../../../src/log.ts'
import type { Inference } from '../../../src/ports/models/inference.ts'
import { understood } from '../../../src/wiring/models.ts'
import { boot, type TestApp } from '../../support/boot.ts'

/** By a word of a text: its cosine to every query. */
const cosines = { canine: 0.7, ferry: 0.35, chien: 0.3, tower: 0.1, Hund: 0.9, pesos: 0.05 }

let reads: string[] = []

/** A model as measured ones are: unrelated texts have cosines up to .4, in another language than the query's up to .25. */
const model: Inference = {
  model: () => ({
    name: 'meanings@2/ort',
    dims: 2,
    builtin: false,
    fallback: false,
    atOnce: 100,
    cosines: { floor: 0.4, floorAcross: 0.25, languages: ['en', 'fr'] },
  }),
  embed: async (_plane, texts, kind) => {
    reads.push(...texts)
    return texts.map((text) => {
      const cosine = Object.entries(cosines).find(([word]) => text.includes(word))?.[1] ?? 0
      return kind === 'query' ? Float32Array.of(1, 0) : Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2))
    })
  },
  ping: async () => {},
}

const units: Record<string, string> = {
  paraphrase: 'A canine sprints over the dunes and into the sea.',
  unrelated: 'The ferry to the islands is late because of the storm.',
  french: 'Le chien est dans les dunes et il court vers la mer.',
  far: 'They climb the tower of the church and look at the roofs of it.',
  german: 'Der Hund läuft über die Dünen und in das Meer, weil er nicht an der Leine ist.',
  words: 'The price of the running shoes is 400 pesos for all of the members.',
}

let app: TestApp
let token: string

beforeAll(async () => {
  app = await boot({ bindings: { inference: understood(model, textAnalysis, createLog('silent')) } })
  token = await app.principal({ id: 'ada', namespace: 'acme' })
  const body = { units: Object.entries(units).map(([id, text]) => ({ text, external_id: id })) }
  expect(await app.call('POST', '/v1/ingest', { token, scope: 'main', body })).toMatchObject({ status: 200 })
})
afterAll(() => app?.close())

const document =
  'query ($input: SearchInput!) { search(input: $input) { hits { externalId reasons explain { leg } } } }'

async function search(input: object, on = app, caller = token): Promise<Record<string, string[]>> {
  const { body } = await on.graphql(document, { input }, { token: caller, scope: 'main' })
  expect(body.errors).toBeUndefined()
  return Object.fromEntries(
    body.data.search.hits.map((hit: { externalId: string; reasons: string[] }) => [hit.externalId, hit.reasons]),
  )
}

describe('a model of which it is known what its cosines say', () => {
  it('finds no text that is near only by chance: less so in another language', async () => {
    const found = await search({ q: 'a dog is running at the shore' })
    expect(Object.keys(found).sort()).toEqual(['french', 'paraphrase', 'words'])
  })

  it('says by which words, and how near in meaning, a hit is found', async () => {
    const found = await search({ q: 'a dog is running at the shore' })
    expect(found.paraphrase).toEqual(['found by meaning (.70, strong for meanings)'])
    expect(found.french).toEqual(['found by meaning (.30, weak for meanings)'])
    expect(found.words).toEqual(['found by the word “running”', 'not near in meaning'])
  })

  it('gives no vectors to texts and queries in a language that the model does not understand', async () => {
    expect(reads.some((text) => text.includes('Hund'))).toBe(false)
    reads = []
    const found = await search({ q: 'Wo ist der Hund und was macht er?' })
    expect(reads).toEqual([])
    expect(found).toEqual({
      german: [
        'found by the words “der”, “hund”, “und”, “er”, “ist”',
        'meaning not used: meanings does not understand German',
      ],
    })
  })

  it('returns the nearest of a search by vector alone, however far it is', async () => {
    const found = await search({ q: '', vector: { text: [1, 0] } })
    expect(Object.keys(found)).toEqual(['paraphrase', 'unrelated', 'french', 'far', 'words'])
    expect(found.far).toEqual(['near the vector of the query (.10)'])
  })
})

it('says that meaning is not used where there is no model', async () => {
  const plain = await boot()
  try {
    const bob = await plain.principal({ id: 'bob', namespace: 'acme' })
    const unit = { text: 'The ferry is late.', title: 'Islands', externalId: 'one' }
    const ingest = 'mutation ($unit: UnitInput!) { ingest(input: { units: [$unit] }) { seq } }'
    expect((await plain.graphql(ingest, { unit }, { token: bob, scope: 'main' })).body.errors).toBeUndefined()
    expect(await search({ q: 'islands ferries' }, plain, bob)).toEqual({
      one: ['found by the words “islands”, “ferry”', 'meaning not used: no model'],
    })
  } finally {
    await plain.close()
  }
})

it('proposes a model for more languages once more than a tenth of the queries need one', async () => {
  const proposals: string[] = []
  const log = { ...createLog('silent'), info: (_: object, text: string) => void proposals.push(text) }
  const { embed } = understood(model, textAnalysis, log)
  const ask = (text: string | undefined, times: number) => embed('text', Array(times).fill(text), 'query')
  await ask(units.german, 10)
  await ask(units.far, 90)
  expect(proposals).toEqual([])
  await ask(units.german, 2)
  await ask(units.german, 50)
  expect(proposals).toEqual([
    expect.stringMatching(/^more than a tenth of the queries .*model -- add multilingual-e5-small/),
  ])
})

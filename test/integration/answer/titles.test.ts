import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

interface Titled {
  title: string
  text: string
  aclGroups?: string[]
}

/**
 * Things of the same kinds, whose texts say the same of others. Each is longer than the one before it: of texts with equal
 * scores, random ids would decide.
 */
const others: Titled[] = Array.from({ length: 15 }, (_, i) => [
  { title: `Company${i} Works`, text: `The works were founded by Erik Holm${i}. They employ forty people${more(i)}.` },
  { title: `Erik Holm${i}`, text: `The engineer was born in Town${i}. He likes long walks${more(i)}.` },
]).flat()
function more(times: number): string {
  return ' and tea'.repeat(times)
}
const company = {
  title: 'Brattvik Works',
  text: 'The works were founded by Sunniva Hagen. Friends of Oluf Berg work there.',
}
const founder = {
  title: 'Sunniva Hagen',
  text: 'A native of Ulvsund, the engineer left home at sixteen. A letter is kept.',
}
const q = 'Where was the founder of Brattvik Works born?'

async function ask(name: string, units: readonly Titled[]) {
  const keeper = await app.principal({ id: `keeper-${name}`, namespace: name })
  const ingested = await app.call('POST', '/graphql', {
    token: keeper,
    scope: 'a',
    body: {
      query: 'mutation ($units: [UnitInput!]!) { ingest(input: {units: $units}) { indexed } }',
      variables: { units: units.map((unit) => ({ aclGroups: ['*'], ...unit })) },
    },
  })
  expect(ingested.body).toMatchObject({ data: { ingest: { indexed: true } } })
  const reader = await app.principal({
    id: `reader-${name}`,
    namespace: name,
    grants: [{ scope: 'a', perms: ['read'] }],
  })
  const { status, body } = await app.call('POST', '/v1/answer', { token: reader, body: { q } })
  expect(status).toBe(200)
  const quotes: string[] = body.answer.citations.map(({ quote }: { quote: string }) => quote)
  const queries: string[] = body.trace.answer.steps.map(({ query }: { query: string }) => query)
  return { abstained: body.answer.abstained, quotes, queries }
}

describe('a title that is a field of its own', () => {
  test.each([
    ['plain', company, founder],
    ['path', { ...company, title: 'Brattvik Works > History' }, { ...founder, title: 'Sunniva Hagen > Early life' }],
  ])('says what its text is about: %s', async (name, ...needed) => {
    const { quotes } = await ask(name, [...others, ...needed])
    expect(quotes).toContain('The works were founded by Sunniva Hagen.')
    expect(quotes).toContain('A native of Ulvsund, the engineer left home at sixteen.')
  })

  test('is never quoted', async () => {
    const { quotes } = await ask('unquoted', [...others, company, founder])
    expect(quotes.length).toBeGreaterThan(0)
    expect(quotes.join(' ')).not.toContain('Brattvik Works')
  })

  test('of a hidden Unit changes nothing', async () => {
    const without = await ask('without', [...others, company])
    const hidden = await ask('hidden', [...others, company, { ...founder, aclGroups: [] }])
    expect(hidden).toEqual(without)
  })
})

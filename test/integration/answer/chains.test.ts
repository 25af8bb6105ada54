import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readerOfUnits } from '../../support/access/with-units.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

/**
 * Things of the same kinds, whose passages say the same of others. Each is longer than the one before it: of passages with
 * equal scores, random ids would decide.
 */
const others = Array.from({ length: 15 }, (_, i) => [
  { text: `Company${i} Works\n\nCompany${i} Works was founded by Erik Holm${i}. It employs forty people${more(i)}.` },
  { text: `Erik Holm${i}\n\nErik Holm${i} was born in Town${i}. He likes long walks${more(i)}.` },
  { text: `Town${i}\n\nTown${i} is a town in Land${i} County. It lies in a valley${more(i)}.` },
  { text: `Land${i} County\n\nLand${i} County was created in ${1800 + i}. Most of it is forest${more(i)}.` },
]).flat()
function more(times: number): string {
  return ' and tea'.repeat(times)
}
const company = {
  text: 'Brattvik Works\n\nBrattvik Works was founded by Sunniva Hagen. Friends of Oluf Berg work there.',
}
const founder = {
  text: 'Sunniva Hagen\n\nA native of Ulvsund, Sunniva Hagen left home at sixteen. A letter to Town3 is kept.',
}
const town = { text: 'Ulvsund\n\nUlvsund is a town in Morvik County. A road leads from there to Town5.' }
const county = { text: 'Morvik County\n\nMorvik County has many lakes. It was created in 1911.' }

async function ask(name: string, units: readonly { text: string; acl_groups?: string[] }[], q: string, body = {}) {
  const token = await readerOfUnits(app, name, units)
  const reply = await app.call('POST', '/v1/answer', { token, body: { q, ...body } })
  expect(reply.status).toBe(200)
  const { answer, trace } = reply.body
  const quotes: string[] = answer.citations.map(({ quote }: { quote: string }) => quote)
  const queries: string[] = trace.answer.steps.map(({ query }: { query: string }) => query)
  return { abstained: answer.abstained, quotes, queries }
}

describe('a question whose answer is some passages away', () => {
  test.each([
    ['two', 'Where was the founder of Brattvik Works born?', ['A native of Ulvsund']],
    ['three', 'In which county is the birthplace of the founder of Brattvik Works?', ['is a town in Morvik County']],
    [
      'four',
      'When was the county created that contains the birthplace of the founder of Brattvik Works?',
      ['is a town in Morvik County', 'It was created in 1911.'],
    ],
  ])('follows the names over %s passages, and cites each', async (name, q, last) => {
    const { quotes, queries } = await ask(name, [...others, company, founder, town, county], q)
    for (const said of ['was founded by Sunniva Hagen', 'A native of Ulvsund', ...last]) {
      expect(quotes.join(' ')).toContain(said)
    }
    expect(queries.length).toBeLessThanOrEqual(4)
    expect(queries[1]).toMatch(/^Sunniva Hagen/u)
  })

  test('asks for nothing that only a hidden passage names', async () => {
    const q = 'In which county is the birthplace of the founder of Brattvik Works?'
    const without = await ask('bare', [...others, company, town], q)
    const hidden = await ask('covered', [...others, company, { ...founder, acl_groups: [] }, town], q)
    expect(hidden).toEqual(without)
    expect(hidden.queries.join(' ')).not.toContain('Ulvsund')
  })

  test('is not answered from a passage that only mentions what it starts from', async () => {
    const mention = { text: 'Oluf Berg\n\nOluf Berg was born in Town7. He sold timber to Brattvik Works.' }
    const q = 'In which county is the birthplace of the founder of Brattvik Works?'
    expect(await ask('mention', [...others, mention], q)).toMatchObject({ abstained: true })
  })
})

test('passages that say the same relation in other words count as speaking of it', async () => {
  const album = { text: 'Quiet Harbours\n\nQuiet Harbours is the third album by the folk singer Sunniva Hagen.' }
  const singer = { text: 'Sunniva Hagen\n\nSunniva Hagen plays the fiddle. In 2001 she married the poet Oluf Berg.' }
  const { quotes } = await ask(
    'album',
    [...others, album, singer],
    'Who is the spouse of the performer of Quiet Harbours?',
  )
  expect(quotes).toContain('In 2001 she married the poet Oluf Berg.')
})

test('two persons whose names a passage joins are followed apart', async () => {
  const pair = { text: 'Sunniva Hagen\n\nThe couple, Sunniva Hagen and Oluf Berg, were wed in a small church.' }
  const oluf = { text: 'Oluf Berg\n\nOluf Berg was born in Ulvsund.' }
  const { quotes } = await ask('couple', [...others, pair, oluf], 'Where was the spouse of Sunniva Hagen born?')
  expect(quotes).toContain('Oluf Berg was born in Ulvsund.')
})

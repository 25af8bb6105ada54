import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readerOfUnits } from '../../support/access/with-units.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

const noise = Array.from({ length: 12 }, (_, i) => ({ text: `Captain number ${i} sails a ferry of line ${i}.` }))
const ada = {
  text: 'Ada Lindqvist\n\nAda Lindqvist is a captain in Bergen. She was born on 3 May 1961. She likes long walks.',
}
const bo = { text: 'Bo Nyberg\n\nBo Nyberg is a Swedish captain. He sails in winter, too. He was born in June 1974.' }

async function ask(token: string, q: string, settings: object = {}) {
  const { status, body } = await app.call('POST', '/v1/answer', { token, body: { q, ...settings } })
  expect(status).toBe(200)
  const quotes: string[] = body.answer.citations.map(({ quote }: { quote: string }) => quote)
  return { ...body.answer, quotes, steps: body.trace.answer.steps.map(({ query }: { query: string }) => query) }
}

describe('a question that compares', () => {
  const q = 'Who is older, Ada Lindqvist or Bo Nyberg?'

  test('is answered by what is compared, of both', async () => {
    const { quotes } = await ask(await readerOfUnits(app, 'both', [...noise, ada, bo]), q)
    expect(quotes).toEqual(expect.arrayContaining(['She was born on 3 May 1961.', 'He was born in June 1974.']))
  })

  test('by yes or no cites both', async () => {
    const token = await readerOfUnits(app, 'yes', [...noise, ada, bo])
    const { quotes } = await ask(token, 'Are Ada Lindqvist and Bo Nyberg both captains?')
    expect(quotes).toEqual(
      expect.arrayContaining(['Ada Lindqvist is a captain in Bergen.', 'Bo Nyberg is a Swedish captain.']),
    )
  })

  test.each([
    ['nothing tells of one of them', [...noise, ada]],
    ['another is only of the same name', [...noise, ada, { text: 'Bo Larsen\n\nBo Larsen was born in June 1974.' }]],
  ])('is not answered where %s', async (name, units) => {
    expect(await ask(await readerOfUnits(app, name.replaceAll(' ', '-'), units), q)).toMatchObject({ abstained: true })
  })

  test('keeps what it compares, whatever further searches find', async () => {
    const crewed = { text: `${ada.text} Mira Holt sails with her.` }
    const crew = [
      { text: 'Mira Holt\n\nMira Holt is a cook on ferries. Her friend is Tom Berg.' },
      { text: 'Tom Berg\n\nTom Berg is a mate on ferries. He likes tea.' },
    ]
    const token = await readerOfUnits(app, 'crew', [...noise, crewed, bo, ...crew])
    const { quotes, steps } = await ask(token, q, { top_k: 4 })
    expect(steps.length).toBeGreaterThan(1)
    expect(quotes).toEqual(expect.arrayContaining(['She was born on 3 May 1961.', 'He was born in June 1974.']))
  })

  test('is answered as if a hidden passage were not there', async () => {
    const without = await ask(await readerOfUnits(app, 'without', [...noise, ada]), q)
    const hidden = await ask(await readerOfUnits(app, 'hidden', [...noise, ada, { ...bo, acl_groups: [] }]), q)
    expect(hidden).toEqual(without)
  })
})

describe('a passage that is cited', () => {
  const song = { text: 'The Gull Song\n\nThe Gull Song is a sea song. It was written by the singer Mira Holt in Oslo.' }
  const mira = {
    text: 'Mira Holt\n\nMira Holt, born in Oslo, is a Norwegian singer of sea songs. Her teacher at school was Jens Aaker. She likes tea.',
  }

  test('is quoted with the sentence that answers, not only with the one that links it', async () => {
    const token = await readerOfUnits(app, 'song', [...noise, song, mira])
    const { quotes } = await ask(token, 'The Gull Song was written by a singer whose teacher was whom?')
    expect(quotes).toContain('It was written by the singer Mira Holt in Oslo.')
    expect(quotes).toContain('Her teacher at school was Jens Aaker.')
    expect(quotes).not.toContain('She likes tea.')
  })

  test('is quoted with a sentence that alone speaks of a further part of the question', async () => {
    const quist = {
      text: 'Orla Quist repaired compasses and sextants for whaling captains in Bergen. The storm had closed the yard. Tea was cheap.',
    }
    const token = await readerOfUnits(app, 'quist', [...noise, quist])
    const { quotes } = await ask(
      token,
      'Where did Orla Quist repair compasses and sextants for whaling captains after the storm?',
    )
    expect(quotes).toContain('Orla Quist repaired compasses and sextants for whaling captains in Bergen.')
    expect(quotes).toContain('The storm had closed the yard.')
    expect(quotes).not.toContain('Tea was cheap.')
  })
})

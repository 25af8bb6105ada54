import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { readerOfUnits } from '../../support/access/with-units.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

describe('questions beside the documents', () => {
  const texts = [
    'The university begins its year of operations in late September. The autumn quarter ends in December, and a calendar is printed each May.',
    'Ada Lindqvist is the mayor of Vik. She opened the new harbour office in 2019 and leads the council of the island.',
    'The national football team plays its home games at Orsa Park. The largest crowd came for the final in 1988.',
    'Lectures in chemistry are held in the old mill. Students work there with gases and learn how acids react with metals.',
    'twenty ships of the n f l sailed in nineteen ninety eight. the fleet of the northern freight line was the largest on the coast.',
    'catherine of boar sold her horses in the spring. with the money she bought a farm beside the river and brewed beer there for the students.',
  ]

  let token: string
  beforeAll(async () => {
    token = await app.principal({ id: 'reader', namespace: 'abstention' })
    await app.call('POST', '/v1/ingest', { token, scope: 'a', body: { units: texts.map((text) => ({ text })) } })
  })

  const ask = async (q: string) => (await app.call('POST', '/v1/answer', { token, body: { q } })).body.answer

  it.each([
    'When did the railway begin operations?',
    'Who is the mayor of Rotterdam?',
    'When did the mayor of Rotterdam open the new harbour office?',
    'What is the largest city in Poland?',
    'Where does the national hockey team of Finland play?',
    'How many students does the art school teach?',
    'Who discovered that gases expand?',
    'What does the museum show in December?',
    'Who wrote the final?',
    'How many ships of the NFL sailed in 1871?',
  ])('abstains where nothing that is there answers: %s', async (q) => {
    expect(await ask(q)).toMatchObject({ abstained: true, citations: [], nli_faithfulness: null })
  })

  it.each([
    ['Who is the mayor of Vik?', 'Ada Lindqvist'],
    ['When did the mayor of Vik open the new harbour office?', '2019'],
    ['When does the university begin its year?', 'September'],
    ['Where does the national football team play?', 'Orsa Park'],
    ['When does the autumn quarter end?', 'December'],
    ['Where are lectures in chemistry held?', 'old mill'],
    ['When was the calendar printed?', 'May'],
    ['How many ships of the NFL sailed in 1998?', 'twenty'],
  ])('answers what is there: %s', async (q, wanted) => {
    const { abstained, text } = await ask(q)
    expect(abstained).toBe(false)
    expect(text).toContain(wanted)
  })
})

describe('several passages', () => {
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
      expect(await ask(await readerOfUnits(app, name.replaceAll(' ', '-'), units), q)).toMatchObject({
        abstained: true,
      })
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
    const song = {
      text: 'The Gull Song\n\nThe Gull Song is a sea song. It was written by the singer Mira Holt in Oslo.',
    }
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
})

describe('titles', () => {
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
    {
      title: `Company${i} Works`,
      text: `The works were founded by Erik Holm${i}. They employ forty people${more(i)}.`,
    },
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
})

describe('chains', () => {
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
})

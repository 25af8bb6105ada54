import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

const texts = [
  'The university begins its year of operations in late September. The autumn quarter ends in December, and a calendar is printed each May.',
  'Ada Lindqvist is the mayor of Vik. She opened the new harbour office in 2019 and leads the council of the island.',
  'The national football team plays its home games at Orsa Park. The largest crowd came for the final in 1988.',
  'Lectures in chemistry are held in the old mill. Students work there with gases and learn how acids react with metals.',
  'twenty ships of the n f l sailed in nineteen ninety eight. the fleet of the northern freight line was the largest on the coast.',
  'catherine of boar sold her horses in the spring. with the money she bought a farm beside the river and brewed beer there for the students.',
]

let app: TestApp
let token: string
beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'reader', namespace: 'abstention' })
  await app.call('POST', '/v1/ingest', { token, scope: 'a', body: { units: texts.map((text) => ({ text })) } })
})
afterAll(() => app.close())

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

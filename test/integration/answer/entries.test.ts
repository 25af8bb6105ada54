import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { taken } from '../../support/documents/files.ts'
import { makeDocx, makeXlsx } from '../../support/documents/make-office.ts'

/** Documents with tables, headings, lists of names and addresses beside what they say in sentences. */
const paragraph = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`
const wordTable = (rows: string[][]) =>
  `<w:tbl>${rows
    .map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`)
    .join('')}</w:tbl>`
const sheet = (rows: (string | number)[][]) =>
  `<sheetData>${rows
    .map(
      (cells, r) =>
        `<row r="${r + 1}">${cells
          .map((cell, c) => {
            const at = `r="${'ABCDEFGH'[c]}${r + 1}"`
            return typeof cell === 'number'
              ? `<c ${at}><v>${cell}</v></c>`
              : `<c ${at} t="inlineStr"><is><t>${cell}</t></is></c>`
          })
          .join('')}</row>`,
    )
    .join('')}</sheetData>`

const files: Record<string, string | Uint8Array> = {
  'counts.xlsx': makeXlsx({
    Ducks: sheet([
      ['Freshwater Ducks', 2019, 2020, 2021, 2022],
      ['Mallard', 118, 131, 156, 149],
      ['Gadwall', 23, 19, 27, 31],
      ['Saltwater Ducks', 2019, 2020, 2021, 2022],
      ['Common Eider', 402, 377, 391, 410],
    ]),
  }),
  'marsh.docx': makeDocx(
    [
      paragraph('Wild Ducks of the Marsh', 'Heading1'),
      paragraph('What Wild Ducks Eat', 'Heading2'),
      paragraph('In winter the wild ducks of the marsh feed on acorns and on waste grain.'),
      wordTable([
        ['Food', 'Season', 'Calories'],
        ['Duckweed', 'Summer', '50'],
        ['Acorns', 'Winter', '390'],
        ['Snails', 'Spring', '90'],
      ]),
      paragraph('How Wild Ducks Migrate', 'Heading2'),
    ].join(''),
  ),
  'bears.html': `<html><body><h1>Black Bears</h1><h2>Why Black Bears Sleep</h2>
    <p>Black bears sleep through the winter because they find no food under the snow.</p>
    <h2>States with Black Bears</h2>
    <table><tr><th>State</th><th>Black Bears</th><th>Hunting Season</th></tr>
    <tr><td>Maine</td><td>35,000</td><td>September</td></tr>
    <tr><td>Oregon</td><td>28,000</td><td>October</td></tr>
    <tr><td>Vermont</td><td>7,200</td><td>November</td></tr></table>
    <h2>How Black Bears Find Honey</h2></body></html>`,
  'contact.md': `# Harbour Office

## Opening Hours of the Harbour Office

Monday to Friday, 8:00 to 16:00

## Visit the Harbour Office

Harbour Office Brattvik
12 Quay Street
6270 Brattvik

Phone: +47 70 21 33 44
E-mail: office@brattvik-harbour.example

## Tasks of the Harbour Office

The harbour office collects the mooring fees and assigns the berths.
`,
  'committee.md': `# Library Committee

## Members of the Library Committee

- Sunniva Hagen, Chair
- Oluf Berg, Treasurer
- Ingrid Moe
- Tor Vik

## Purpose of the Library Committee

The committee decides which books the library buys.

## Disputes in the Library Committee
`,
  'staff.csv': [
    'Name,Role,Office,Extension',
    'Astrid Lund,Pilot,Pier 2,4417',
    'Bjarne Holm,Crane Operator,Pier 5,4480',
    'Ragna Dahl,Accountant,Main Building,4402',
  ].join('\n'),
  'ferries.csv': [
    'Ferry;Captain;Built;Passengers',
    'Nordlys;Marit Sand;1994;340',
    'Havørn;Jon Eide;2008;525',
    'Terna;Liv Aas;2015;198',
  ].join('\n'),
  'museum.md': `# Canning Museum

| Day | Opens | Closes |
|---|---|---|
| Saturday | 10:00 | 17:00 |
| Sunday | 12:00 | 16:00 |

| Ticket | Price |
|---|---|
| Adult | 90 kr |
| Child | 40 kr |

The canning museum shows how sardines were smoked over oak.

Curators of the Canning Museum: Else Ness, Per Krog, Anne Li
`,
  'rope-walk.txt': `Rope Walk Museum

Rope Walk Museum
9 Tar Street
6271 Eidsvåg
Phone: +47 70 55 66 77

Rooms

The merchant Aslak Moe founded the museum in 1931. It holds about 4,200 ropes and knots.

Guards of the Rope Walk Museum: Siri Tangen, Leif Bakke
`,
}

let app: TestApp
let token: string
beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'reader', namespace: 'entries' })
  for (const [name, bytes] of Object.entries(files)) {
    expect(await taken(app, token, name, bytes, { scope: 'a' })).toMatchObject({ status: 'ready' })
  }
})
afterAll(() => app.close())

async function ask(q: string) {
  const { status, body } = await app.call('POST', '/v1/answer', { token, body: { q } })
  expect(status).toBe(200)
  const quotes: string[] = body.answer.citations.map(({ quote }: { quote: string }) => quote)
  return { text: body.answer.text as string, abstained: body.answer.abstained as boolean, quotes }
}

const sentence = /^\p{Lu}.*\.$/u

describe('a question that asks for no entry gets sentences only', () => {
  test.each([
    ['What do the wild ducks of the marsh eat in winter?', 'feed on acorns'],
    ['Why do black bears sleep through the winter?', 'because they find no food'],
    ['What does the harbour office do about mooring fees?', 'collects the mooring fees'],
    ['How does the library committee decide which books the library buys?', 'decides which books'],
    ['What does the canning museum show?', 'sardines were smoked over oak'],
    ['Who founded the Rope Walk Museum?', 'Aslak Moe founded'],
    ['How many ropes does the Rope Walk Museum hold?', '4,200 ropes'],
  ])('%s', async (q, wanted) => {
    const { text, quotes } = await ask(q)
    expect(text).toContain(wanted)
    for (const quote of quotes) expect(quote).toMatch(sentence)
  })
})

describe('a question whose words only entries have gets no entry', () => {
  test.each([
    'Where do wild ducks live?',
    'Where do freshwater ducks live?',
    'Why are there saltwater ducks and freshwater ducks?',
    'How do wild ducks migrate?',
    'How do the wild ducks of the marsh migrate?',
    'How do black bears find honey?',
    'Where do black bears live in Maine?',
    'Why is there a hunting season for black bears in Oregon?',
    'Do black bears in Vermont eat fish?',
    'How does one visit the harbour office in Brattvik?',
    'Why does the harbour office have opening hours?',
    'What happened at the Harbour Office Brattvik in Quay Street?',
    'Why is Sunniva Hagen the chair of the library committee?',
    'How are disputes in the library committee settled?',
    'What does Oluf Berg do as treasurer?',
    'How did Astrid Lund become a pilot?',
    'Why does Ragna Dahl work in the main building?',
    'Where did Captain Marit Sand of the Nordlys grow up?',
    'Why was the ferry Nordlys built?',
    'What did Else Ness do as a curator of the canning museum?',
    'Who founded the harbour office in Brattvik?',
    'Who founded the library committee?',
    'Which knots does Siri Tangen guard?',
  ])('%s', async (q) => {
    for (const quote of (await ask(q)).quotes) expect(quote).toMatch(sentence)
  })
})

describe('a question for an entry gets it', () => {
  test.each([
    ['How many mallards were there in 2021?', '156'],
    ['How many common eiders were there in 2022?', '410'],
    ['How many calories do acorns have?', '390'],
    ['How many black bears are there in Vermont?', '7,200'],
    ['Which states have black bears?', 'Maine'],
    ['When is the hunting season for black bears in Oregon?', 'October'],
    ['What is the address of the harbour office?', '12 Quay Street'],
    ['What is the phone number of the harbour office?', '+47 70 21 33 44'],
    ['What is the e-mail address of the harbour office?', 'office@brattvik-harbour.example'],
    ['What are the opening hours of the harbour office?', '8:00 to 16:00'],
    ['Who are the members of the library committee?', 'Oluf Berg'],
    ['Who is the treasurer of the library committee?', 'Oluf Berg'],
    ['What is the extension of Bjarne Holm?', '4480'],
    ['Who is the captain of the Nordlys?', 'Marit Sand'],
    ['How many passengers does the ferry Terna take?', '198'],
    ['When was the ferry Havørn built?', '2008'],
    ['When does the canning museum open on Sunday?', '12:00'],
    ['What is the price of a ticket for a child?', '40 kr'],
    ['Who are the curators of the canning museum?', 'Else Ness'],
    ['What is the phone number of the Rope Walk Museum?', '+47 70 55 66 77'],
    ['Who are the guards of the Rope Walk Museum?', 'Siri Tangen'],
  ])('%s', async (q, wanted) => {
    expect((await ask(q)).text).toContain(wanted)
  })

  test('a row comes with the first row of its table', async () => {
    const { quotes } = await ask('How many mallards were there in 2021?')
    expect(quotes[0]).toContain('2021')
    expect(quotes[1]).toContain('Mallard')
  })
})

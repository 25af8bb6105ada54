import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { settled, taken } from '../../support/documents/files.ts'
import { makePdf } from '../../support/documents/make-pdf.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'librarian', namespace: 'library' })
})
afterAll(() => app.close())

/** Shift_JIS of これは港の灯台の記録です。夕方に点灯します。 */
const japanese = Buffer.from(
  '82b182ea82cd8d6082cc939491e482cc8b4c985e82c582b78142975b95fb82c9935f939482b582dc82b78142',
  'hex',
)
const german = (i: number) => `Über den Häfen wacht Türmer ${i}. Größe: 30 Meter.\n`
const long = Array.from({ length: 60 }, (_, i) => german(i)).join('')
const cases: [string, Uint8Array, string][] = [
  ['utf-8.txt', Buffer.from('\ufeffÜber den Hafen wacht der Leuchtturm.'), 'Über den Hafen wacht der Leuchtturm.'],
  [
    'windows-1252.txt',
    Buffer.from('Über den Hafen wacht der Leuchtturm.', 'latin1'),
    'Über den Hafen wacht der Leuchtturm.',
  ],
  [
    'shift-jis.txt',
    Buffer.concat([japanese, japanese, japanese]),
    'これは港の灯台の記録です。夕方に点灯します。'.repeat(3),
  ],
  // Bad bytes of each kind: one of no encoding, the first ones of a character, the later ones of one.
  [
    'bad-bytes.txt',
    Buffer.concat([
      Buffer.from(long),
      Buffer.from('ff20e282', 'hex'),
      Buffer.from(` ${long}`),
      Buffer.from('8080c3', 'hex'),
    ]),
    `${long}\ufffd \ufffd ${long}\ufffd\ufffd\ufffd`,
  ],
  ['utf-16.txt', Buffer.from(long, 'utf16le'), long],
  ['utf-16-the-other-way.txt', Buffer.from(long, 'utf16le').swap16(), long],
]

test.each(cases)('what locators point into is the text that the parser read: %s', async (name, bytes, text) => {
  const document = await taken(app, token, name, bytes, { scope: 'shelf' })
  expect(document).toMatchObject({ status: 'ready' })
  const { body } = await app.call('GET', '/v1/units?limit=100', { token })
  const units = body.units.filter((unit: { doc_id: string }) => unit.doc_id === name)
  const query = 'query ($id: String!) { sourceLink(unitId: $id, rendition: text) { url } }'
  const link = await app.graphql(query, { id: units[0].unit_id }, { token })
  const rendition = await app.app.fetch(new Request(new URL(link.body.data.sourceLink.url, 'http://localhost')))
  expect(await rendition.text()).toBe(text)
  expect(units.length >= text.length / 800).toBe(true)
  for (const unit of units) expect(unit.text).toBe(text.slice(unit.locator.start, unit.locator.end))
})

test('a file in a PDF is a document below it', async () => {
  const pdf = makePdf(
    [{ lines: [{ x: 60, y: 700, text: 'The report.' }] }],
    [
      { name: 'rates.csv', content: 'port,fee\nAlba,10\n' },
      { name: 'pinned.txt', content: 'A mark opens it.', page: 0 },
    ],
  )
  const { documentId } = await taken(app, token, 'report.pdf', pdf, { scope: 'shelf' })
  const query = '{ documents(docIdPrefix: "report.pdf#") { documents { documentId docId parent } } }'
  const { documents } = (await app.graphql(query, {}, { token })).body.data.documents
  const files = [
    { docId: 'report.pdf#pinned.txt', parent: documentId },
    { docId: 'report.pdf#rates.csv', parent: documentId },
  ]
  expect(documents).toMatchObject(files)
  for (const file of documents)
    expect(await settled(app, token, file.documentId)).toMatchObject({ status: 'ready', units: 1 })
})

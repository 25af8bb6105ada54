import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { taken } from '../../support/documents/files.ts'

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
  for (const unit of units) expect(unit.text).toBe(text.slice(unit.locator.start, unit.locator.end))
})

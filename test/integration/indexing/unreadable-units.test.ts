import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { boot, type TestApp } from '../../support/boot.ts'

/** Each is one character that stands for several words. */
const phrases = {
  prayer: 'قال رسول الله ﷺ: إنما الأعمال بالنيات',
  praise: 'الله ﷻ',
  unit: 'Ein Kiosk ㏂ und die Straße ℀ Kai',
}

let app: TestApp
let token: string
let reader: string
beforeEach(async () => {
  app = await boot()
  token = await app.principal({ id: 'writer', namespace: 'library' })
  reader = await app.principal({ id: 'reader', namespace: 'library', readOnly: true })
})
afterEach(() => app.close())

async function ingest(units: object[]): Promise<boolean> {
  const { status, body } = await app.call('POST', '/v1/ingest', { token, scope: 'shelf', body: { units } })
  expect(status).toBe(200)
  return body.indexed
}

async function search(q: string, by = token) {
  const { status, body } = await app.call('POST', '/v1/search', { token: by, body: { q } })
  expect([status, body.trace.degraded]).toEqual([200, []])
  return body.hits as { external_id: string; text: string; highlights: { start: number; end: number }[] }[]
}

const found = async (q: string, by?: string) => (await search(q, by)).map(({ external_id }) => external_id)

test('a character of several words is indexed with them, and ends no search of another', async () => {
  expect(await ingest([{ external_id: 'lamp', text: 'a lantern', acl_groups: ['*'] }])).toBe(true)
  for (const [external_id, text] of Object.entries(phrases)) expect(await ingest([{ external_id, text }])).toBe(true)
  const spelled = { external_id: 'spelled', text: 'صلى الله عليه وسلم' }
  expect(await ingest([spelled, { external_id: 'lamps', text: 'lanterns', acl_groups: ['*'] }])).toBe(true)
  expect((await found('lantern', reader)).sort()).toEqual(['lamp', 'lamps'])
  // Written in one character or in words, it is the same to people.
  expect((await found('ﷺ')).slice(0, 2).sort()).toEqual(['prayer', 'spelled'])
  expect(await found('وسلم')).toEqual(expect.arrayContaining(['prayer', 'spelled']))
  expect((await found('بالنيات'))[0]).toBe('prayer')
  const [hit] = await search('وسلم الأعمال')
  const { text = '', highlights = [] } = hit ?? {}
  expect(highlights.map(({ start, end }) => text.slice(start, end))).toEqual(['ﷺ', 'الأعمال'])
  await expect.poll(async () => (await app.call('GET', '/v1/health')).body.status).toBe('ok')
})

test('an answer is found in a text with such a character', async () => {
  await ingest([{ external_id: 'prayer', text: phrases.prayer }])
  const { status, body } = await app.call('POST', '/v1/answer', { token, body: { q: 'ﷺ بالنيات' } })
  expect(status).toBe(200)
  expect(body.trace.degraded).toEqual([])
})

test('a Unit whose stored language is not a language is found, and every other one', async () => {
  await ingest([
    { external_id: 'lamp', text: 'a lantern' },
    { external_id: 'bell', text: 'a bell' },
  ])
  const { client } = app.runtime.bindings.catalog as PrismaCatalog
  await client.unit.updateMany({ where: { externalId: 'bell' }, data: { language: 'not a tag' } })
  await app.close({ keep: true })
  // The index is built again, from what the catalog has now.
  rmSync(join(app.storage.dataDir, 'index'), { recursive: true, force: true })
  app = await boot({ storage: app.storage })
  expect((await found('lantern'))[0]).toBe('lamp')
  expect((await found('bell'))[0]).toBe('bell')
})

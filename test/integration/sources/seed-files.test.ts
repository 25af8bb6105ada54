import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await boot()
  await seed()
})
afterAll(() => app.close())

async function seed(): Promise<Record<string, number>> {
  const { body } = await app.call('POST', '/v1/admin/seed', token ? { token } : {})
  token = body.tokens.admin
  return body.counts
}

const fileAt = (name: string) =>
  readFileSync(new URL(`../../../src/domain/seed/content/files/${name}`, import.meta.url))

async function opened(unitId: string, rendition = 'original') {
  const query = `query ($unitId: String!, $rendition: SourceRendition) {
    sourceLink(unitId: $unitId, rendition: $rendition) { url mime name inline }
    unit(unitId: $unitId) { text mime locator { ... on CharSpan { start end } ... on LineRange { first: start last: end } } }
  }`
  const { body } = await app.call('POST', '/graphql', { token, body: { query, variables: { unitId, rendition } } })
  const response = await app.app.fetch(new Request(new URL(body.data.sourceLink.url, 'http://127.0.0.1')))
  return { ...body.data, bytes: Buffer.from(await response.arrayBuffer()) }
}

test.each([
  ['seed-timetable-leaflet-ocr', 'winter-2025.pdf', 'application/pdf'],
  ['seed-timetable-minutes', '2025-10-09-minutes.md', 'text/markdown'],
  ['seed-visitors-german-announcement', 'announcement.de.wav', 'audio/wav'],
  ['seed-visitors-french-announcement', 'announcement.fr.vtt', 'text/vtt'],
  ['seed-pier4-hotspot-detection', 'dunlin-pack-b-thermal.png', 'image/png'],
  ['seed-pier4-log-stale-flow', 'telemetry-gateway.log', 'text/plain'],
])('%s opens %s', async (unitId, name, mime) => {
  const { sourceLink, unit, bytes } = await opened(unitId)
  expect(sourceLink).toMatchObject({ name })
  expect(unit.mime).toBe(mime)
  expect(bytes.equals(fileAt(name))).toBe(true)
})

test('the places of the Units are in their files', async () => {
  const minutes = await opened('seed-timetable-minutes', 'text')
  const { start, end } = minutes.unit.locator
  expect(minutes.bytes.toString().slice(start, end)).toBe(minutes.unit.text)
  const log = await opened('seed-pier4-log-stale-flow', 'text')
  const { first, last } = log.unit.locator
  const lines = log.bytes
    .toString()
    .split('\n')
    .slice(first - 1, last)
  expect(lines.length).toBe(19)
  for (const line of lines)
    expect(line).toMatch(/ WARN telemetry-gateway coolant flow sensor \S+ on \S+ is stale for \d+ s, /)
})

test('seeding again stores nothing twice', async () => {
  const before = (await opened('seed-pier4-thermal-image')).sourceLink
  expect(await seed()).toMatchObject({ created: 0, updated: 0, unchanged: 100 })
  expect((await opened('seed-pier4-thermal-image')).sourceLink.name).toBe(before.name)
})

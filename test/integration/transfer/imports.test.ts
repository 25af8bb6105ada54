import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { taken } from '../../support/documents/files.ts'
import { makeDocx } from '../../support/documents/make-office.ts'
import { sourcesOf } from '../../support/sources/uploads.ts'
import { exportedLines, importLines, refusalOf, sealed } from '../../support/transfer/files.ts'

let source: TestApp
let target: TestApp
let token: string
let lines: string[]
const big = randomBytes(3_000_000)
const words = 'The pilot boards at the outer buoy.'

beforeAll(async () => {
  source = await boot()
  target = await boot()
  token = await source.principal({ id: 'keeper', namespace: 'archive' })
  const uploads = sourcesOf(source)
  const uri = await uploads.upload(big, { token }, { name: 'film.bin' })
  await uploads.unit({ text: 'a film', source_uri: uri, external_id: 'film' }, { token })
  const docx = makeDocx(`<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`)
  await taken(source, token, 'pilot.docx', docx, { scope: 'shelf' })
  lines = await exportedLines(source, 'archive')
})
afterAll(() => Promise.all([source.close(), target.close()]))

test('other bytes of a source are refused, and none are kept', async () => {
  const pieces = lines.filter((line) => line.startsWith('{"source_bytes":'))
  const large = pieces.filter((line) => line.length > 1_000_000)
  expect(large.length).toBeGreaterThan(1)
  const [namespaceId, id] = Object.values(JSON.parse(large[0] ?? '').source_bytes) as [string, string]
  const without = lines.filter((line) => line !== large.at(-1))
  expect(await refusalOf(target, sealed(without))).toMatch(/^the bytes of a source are not those/)
  expect(
    await refusalOf(
      target,
      sealed([...lines.slice(0, -1)].flatMap((line) => (line === large[0] ? [line, line] : line))),
    ),
  ).toMatch(/^the bytes of a source are not those/)
  expect(await target.runtime.bindings.objects.get(`${namespaceId}/${id}`)).toBeNull()
})

test('sources and the texts that were read out of them come along', async () => {
  await importLines(target, lines)
  const links = sourcesOf(target)
  const open = async (unitId: string, rendition: string) => {
    const { body } = await links.sourceLink({ unitId, rendition }, { token })
    return (await links.send('GET', body.data.sourceLink.url, null)).bytes
  }
  const { body } = await target.call('GET', '/v1/units', { token })
  const unitOf = (text: string) => body.units.find((unit: { text: string }) => unit.text === text)
  expect(big.equals(await open(unitOf('a film').unit_id, 'original'))).toBe(true)
  const { unit_id, locator } = unitOf(words)
  expect((await open(unit_id, 'text')).toString().slice(locator.start, locator.end)).toBe(words)
})

/** A line in the first version of the format, in which grants did not expire, Units had neither titles nor documents nor languages, hidden ones were counted, and growth was not noted. */
function asVersion1(line: string): string {
  const record = JSON.parse(line)
  if (record.format !== undefined) return JSON.stringify({ ...record, version: 1 })
  delete record.grant?.expires_at
  for (const field of ['hidden_count', 'synonyms_version']) delete record.namespace?.[field]
  for (const field of Object.keys(record.query_count ?? {}))
    if (field.endsWith('_change')) delete record.query_count[field]
  for (const field of ['title', 'document_id', 'source_by_writer', 'language']) delete record.unit?.[field]
  return JSON.stringify(record)
}

test('a file of the first version is imported', async () => {
  const former = await source.principal({ id: 'former', namespace: 'former' })
  const body = { units: [{ external_id: 'note', text: 'an old note' }] }
  expect((await source.call('POST', '/v1/ingest', { token: former, scope: 'shelf', body })).status).toBe(200)
  const written = await exportedLines(source, 'former')
  expect(written.join('\n')).toContain('"expires_at":null')
  await importLines(target, sealed(written.map(asVersion1)))
  const read = await target.call('GET', '/v1/units/note', { token: former })
  expect(read).toMatchObject({ status: 200, body: { text: 'an old note' } })
  const series = `{ usageSeries(from: ${Date.now() - 2 * 86_400_000}, to: ${Date.now()}, step: day) { points { units { text } sourceBytes } } }`
  const { points } = (await target.graphql(series, {}, { token: former })).body.data.usageSeries
  expect([points[0], points.at(-1)]).toEqual([
    { units: null, sourceBytes: null },
    { units: { text: 1 }, sourceBytes: 0 },
  ])
})

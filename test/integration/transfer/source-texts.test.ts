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

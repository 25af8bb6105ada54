import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { exportedLines, importLines, sealed } from '../../support/transfer/files.ts'

let source: TestApp
let target: TestApp
beforeAll(async () => {
  source = await boot()
  target = await boot()
})
afterAll(() => Promise.all([source.close(), target.close()]))

/** A line in the first version of the format, in which grants did not expire, Units had neither titles nor documents nor languages, and hidden ones were counted. */
function asVersion1(line: string): string {
  const record = JSON.parse(line)
  if (record.format !== undefined) return JSON.stringify({ ...record, version: 1 })
  delete record.grant?.expires_at
  for (const field of ['hidden_count', 'synonyms_version']) delete record.namespace?.[field]
  for (const field of ['title', 'document_id', 'source_by_writer', 'language']) delete record.unit?.[field]
  return JSON.stringify(record)
}

test('a file of the first version is imported', async () => {
  const token = await source.principal({ id: 'keeper', namespace: 'archive' })
  const body = { units: [{ external_id: 'note', text: 'an old note' }] }
  expect((await source.call('POST', '/v1/ingest', { token, scope: 'shelf', body })).status).toBe(200)
  const lines = await exportedLines(source, 'archive')
  expect(lines.join('\n')).toContain('"expires_at":null')
  await importLines(target, sealed(lines.map(asVersion1)))
  const read = await target.call('GET', '/v1/units/note', { token })
  expect(read).toMatchObject({ status: 200, body: { text: 'an old note' } })
})

import { expect, test, vi } from 'vitest'
import { boot } from '../../support/boot.ts'
import { documentOf, ingestFile } from '../../support/documents/files.ts'

test('a run whose end could not be written is taken again, also beside one that continues', async () => {
  const parsing = { workers: 2, memoryBytes: 2 ** 29, timeoutMs: 60_000 }
  const app = await boot({ config: { parsing } })
  const writer = await app.principal({ id: 'clerk', namespace: 'office' })
  const { catalog, parser } = app.runtime.bindings
  const held = Promise.withResolvers<void>()
  const { parse } = parser
  let long = 0
  parser.parse = async (file, stop) => {
    if (file.name === 'long.txt') {
      long += 1
      await held.promise
    }
    return parse(file, stop)
  }
  await ingestFile(app, writer, 'long.txt', 'A long text.', { scope: 'front' })
  await expect.poll(() => long).toBe(1)
  const end = vi.spyOn(catalog.documents, 'end').mockRejectedValueOnce(new Error('the connection broke'))
  const { documentId } = await ingestFile(app, writer, 'short.txt', 'A short text.', { scope: 'front' })
  await expect.poll(() => end.mock.calls.length).toBe(1)
  await expect.poll(async () => (await documentOf(app, writer, documentId)).status).toBe('ready')
  expect(long).toBe(1)
  held.resolve()
  await app.close()
})

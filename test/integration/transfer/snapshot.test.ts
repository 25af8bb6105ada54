import { expect, test } from 'vitest'
import { boot } from '../../support/boot.ts'
import { expectSoundCatalog } from '../../support/database/catalog-rows.ts'
import { createStorage } from '../../support/database/database.ts'
import { exportedLines, importLines } from '../../support/transfer/files.ts'
import { bootWorld } from '../../support/transfer/world.ts'

test('what is exported while others write is of one moment', async () => {
  const source = await bootWorld(await createStorage())
  const token = await source.principal({ id: 'writer', namespace: 'busy' })
  const write = async (name: string, until: AbortSignal) => {
    let written = 0
    for (; !until.aborted || written === 0; written++) {
      const units = Array.from({ length: 20 }, (_, i) => ({
        external_id: `${name}-${written}-${i}`,
        text: `entry ${i}`,
      }))
      const { status } = await source.call('POST', '/v1/ingest', { token, scope: 'log', body: { units } })
      expect(status).toBe(200)
    }
    return written
  }
  const done = new AbortController()
  const writers = ['a', 'b', 'c'].map((name) => write(name, done.signal))
  const files: string[][] = []
  for (let i = 0; i < 3; i++) files.push(await exportedLines(source, 'busy'))
  done.abort()
  const batches = (await Promise.all(writers)).reduce((sum, n) => sum + n, 0)
  await source.close()

  const storage = await createStorage()
  const target = await boot({ storage })
  const lines = files.at(-1) ?? []
  const { counts } = await importLines(target, lines)
  await target.close({ keep: true })
  // Counters, chain and seqs are consistent; this check does not use the application.
  await expectSoundCatalog(storage).finally(() => storage.remove())
  expect((counts.unit ?? 0) % 20).toBe(0)
  expect(counts.unit ?? 0).toBeLessThanOrEqual(batches * 20)
  // The log in the last file has a row for each export.
  expect(lines.filter((line) => line.includes('"action":"namespace.export"'))).toHaveLength(files.length)
})

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type BootOptions, boot, type TestApp } from '../../support/boot.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { startEngines } from '../../support/engines.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { transfer, transferOn } from '../../support/transfer/cli.ts'
import { signingSeed } from '../../support/transfer/world.ts'
import { eventually } from '../../support/waited.ts'

const open = (storage: TestStorage, config: BootOptions['config'] = {}) =>
  boot({ storage, config: { ...config, ingestWaitMs: 10_000, audit: { reads: 'off', signingSeeds: [signingSeed] } } })

/** Search results, best first, after the indexes are complete. */
async function ranked({ call }: TestApp, token: string, q: string): Promise<{ id: string; text: string }[]> {
  return eventually(async () => {
    const { hits, trace } = (await call('POST', '/v1/search', { token, body: { q, top_k: 50, planes: ['text'] } })).body
    expect([trace.index_seq, trace.degraded]).toEqual([trace.seq, []])
    return hits.map(({ unit_id: id, text }: { unit_id: string; text: string }) => ({ id, text }))
  })
}

test('Units that match equally well come in the order of their ids, before an export and in another profile after it', async () => {
  const folder = tempDir('transfer-ties')
  const file = join(folder.path, 'all.gz')
  const [embedded, scaled] = [await createStorage({ embedded: true }), await createStorage()]
  const engines = await startEngines()
  try {
    const first = await open(embedded)
    const token = await first.principal({ id: 'owner', namespace: 'alpha', groups: ['crew'] })
    const alike = (text: string) => Array.from({ length: 12 }, (_, i) => ({ text, external_id: `${text} ${12 - i}` }))
    const units = ['lantern keeper', 'lantern ferry harbour', 'rope'].flatMap(alike)
    const { body } = await first.call('POST', '/v1/ingest', { token, scope: 'deck', body: { units } })
    expect(body).toMatchObject({ indexed: true })
    const queries = ['lantern keeper', 'lantern', 'harbour']
    const before = await Promise.all(queries.map((q) => ranked(first, token, q)))
    await first.close({ keep: true })

    expect(await transfer(embedded, 'export', '--all', file)).toMatchObject({ code: 0 })
    expect(await transferOn(engines.environment, scaled, 'import', file)).toMatchObject({ code: 0 })
    const second = await open(scaled, engines.config)
    for (const [i, q] of queries.entries()) {
      const after = await ranked(second, token, q)
      for (const text of ['lantern keeper', 'lantern ferry harbour']) {
        const tied = (list: typeof after) => list.filter((hit) => hit.text === text).map(({ id }) => id)
        if (!q.split(' ').some((word) => text.includes(word))) continue
        expect(tied(after), q).toHaveLength(12)
        expect(tied(after), q).toEqual(tied(after).toSorted())
        expect(tied(after), q).toEqual(tied(before[i] ?? []))
      }
    }
    await second.close({ keep: true })
    expect(engines.breaches()).toEqual([])
  } finally {
    await engines[Symbol.asyncDispose]()
    for (const storage of [embedded, scaled]) await storage.remove()
    folder.remove()
  }
})

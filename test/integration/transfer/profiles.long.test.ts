import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TestApp } from '../../support/boot.ts'
import { withCatalogRows } from '../../support/database/catalog-rows.ts'
import { createStorage } from '../../support/database/database.ts'
import { startEngines } from '../../support/engines.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { transfer, transferOn } from '../../support/transfer/cli.ts'
import { expectSameRows, tablesOf } from '../../support/transfer/tables.ts'
import { bigSource, bootWorld, fillWorld, findingsOf, type World } from '../../support/transfer/world.ts'
import { eventually } from '../../support/waited.ts'

/** On a slow machine it reports its progress every ten seconds. */
const done = { code: 0, stderr: expect.stringMatching(/^(\d+ (of \d+ )?records\n)*$/) }

/** Checks that the namespace's log is intact. */
async function expectIntact(app: TestApp, { callers }: World): Promise<void> {
  const { body } = await app.call('GET', '/v1/audit/verify', { token: callers.owner ?? '' })
  expect(body).toMatchObject({ intact: true, reason: null, checked: body.head_seq })
}

/** Waits until the service has filled the indexes, because an import does not. */
async function indexed(app: TestApp, { callers }: World): Promise<void> {
  const search = { token: callers.owner ?? '', body: { q: 'battery' } }
  const check = async () => {
    const { trace } = (await app.call('POST', '/v1/search', search)).body
    expect([trace.index_seq, trace.degraded]).toEqual([trace.seq, []])
  }
  await eventually(check)
}

test('from the embedded profile to the scale-out one and back: the same is found, logs verify, rows are equal', async () => {
  const folder = tempDir('transfer-profiles')
  const [there, back] = [join(folder.path, 'there.gz'), join(folder.path, 'back.gz')]
  const embedded = await createStorage({ embedded: true })
  const scaled = await createStorage()
  const returned = await createStorage({ embedded: true })
  const engines = await startEngines()
  try {
    const first = await bootWorld(embedded)
    const world = await fillWorld(first)
    const found = await findingsOf(first, world)
    await first.close({ keep: true })
    // Each caller finds Units by words, and the callers' results differ.
    expect(new Set(found.filter(({ query }) => query.q === 'battery').map(({ found: ids }) => ids.join())).size).toBe(4)
    expect(found.filter(({ best }) => best !== null).length).toBeGreaterThanOrEqual(3)

    expect(await transfer(embedded, 'export', '--all', there)).toMatchObject(done)
    const imported = await transferOn(engines.environment, scaled, 'import', there)
    expect(imported).toMatchObject(done)
    expect(imported.stdout).not.toMatch(/^but/m)
    expect([...engines.s3.objects.values()].some((bytes) => bigSource.equals(bytes))).toBe(true)
    const second = await bootWorld(scaled, undefined, engines.config)
    await indexed(second, world)
    expect(await findingsOf(second, world)).toEqual(found)
    await expectIntact(second, world)
    await second.close({ keep: true })

    expect(await transferOn(engines.environment, scaled, 'export', '--all', back)).toMatchObject(done)
    expect(await transfer(returned, 'import', back)).toMatchObject(done)
    expectSameRows(await withCatalogRows(scaled, tablesOf), await withCatalogRows(returned, tablesOf))
    const third = await bootWorld(returned)
    expect(await findingsOf(third, world)).toEqual(found)
    await expectIntact(third, world)
    await third.close({ keep: true })
    expect(engines.breaches()).toEqual([])
  } finally {
    await engines[Symbol.asyncDispose]()
    for (const storage of [embedded, scaled, returned]) await storage.remove()
    folder.remove()
  }
})

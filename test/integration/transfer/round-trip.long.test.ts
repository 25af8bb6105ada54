import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../support/access/browser.ts'
import type { TestApp } from '../../support/boot.ts'
import { expectSoundCatalog, withCatalogRows } from '../../support/database/catalog-rows.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { transfer } from '../../support/transfer/cli.ts'
import { expectSameRows, type Tables, tablesOf } from '../../support/transfer/tables.ts'
import { bigSource, bootWorld, fillWorld, viewOf, type World } from '../../support/transfer/world.ts'

/** On a slow machine it reports every ten seconds. */
const progress = expect.stringMatching(/^(\d+ (of \d+ )?records\n)*$/)
const server = process.env.TEST_DATABASE_URL !== undefined
const embedded = { embedded: true }
const routes = [
  {
    name: 'embedded to embedded',
    from: embedded,
    to: embedded,
    runs: !server,
    otherwise: 'runs without TEST_DATABASE_URL',
  },
  { name: 'embedded to PostgreSQL', from: embedded, to: {}, runs: server, otherwise: 'needs TEST_DATABASE_URL' },
  { name: 'PostgreSQL to embedded', from: {}, to: embedded, runs: server, otherwise: 'needs TEST_DATABASE_URL' },
]

describe.each(routes)('all of a service, $name', ({ from, to, runs, otherwise }) => {
  if (!runs) return test.skip(otherwise, () => {})

  const folder = tempDir('transfer')
  const file = join(folder.path, 'all.gz')
  let source: TestStorage
  let target: TestStorage
  let world: World
  let seen: unknown
  let rows: { exported: Tables; imported: Tables }
  let app: TestApp

  beforeAll(async () => {
    source = await createStorage(from)
    target = await createStorage(to)
    const first = await bootWorld(source)
    world = await fillWorld(first)
    seen = await viewOf(first, world)
    await first.close({ keep: true })
    const exported = await transfer(source, 'export', '--all', file)
    expect(exported).toMatchObject({ code: 0, stderr: progress })
    const imported = await transfer(target, 'import', file)
    expect(imported).toMatchObject({ code: 0, stderr: progress })
    expect(imported.stdout).not.toMatch(/^but/m)
    rows = { exported: await withCatalogRows(source, tablesOf), imported: await withCatalogRows(target, tablesOf) }
    await expectSoundCatalog(target)
    app = await bootWorld(target)
  })
  afterAll(async () => {
    await app?.close()
    await source?.remove()
    folder.remove()
  })

  test('the file is for its owner only', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('every table holds the same rows', () => {
    const { exported, imported } = rows
    const added = expectSameRows(exported, imported)
    // One row per live namespace: alpha, beta, a person's first home, and the namespace that this person registered.
    expect(added).toHaveLength(4)
    const filled = Object.entries(exported).filter(([, found]) => found.length > 0)
    expect(filled.map(([table]) => table)).toEqual(Object.keys(exported))
  })

  test('every caller sees the same, in the same order, with the same scores', async () => {
    expect(await viewOf(app, world)).toEqual(seen)
  })

  test('the log still verifies, under its old checkpoints and proofs', async () => {
    const { owner: token } = world.callers
    const verified = await app.call('GET', '/v1/audit/verify', { token })
    expect(verified.body).toMatchObject({ intact: true, reason: null })
    const { body: log } = await app.call('GET', '/v1/audit?limit=20', { token })
    const actions: string[] = log.rows.map(({ action }: { action: string }) => action)
    expect(actions.filter((action) => action.startsWith('namespace.'))).toEqual([
      'namespace.import',
      'namespace.export',
    ])
    const { size } = world.checkpoint
    const { body: checkpoint } = await app.call('GET', `/v1/audit/checkpoint?size=${size}`, { token })
    expect(checkpoint).toEqual(world.checkpoint)
    const proven = world.proof as { size: number }
    const { body: proof } = await app.call('GET', `/v1/audit/proof?seq=3&size=${proven.size}`, { token })
    expect(proof).toEqual(world.proof)
    const { status } = await app.call('GET', `/v1/audit/proof?from=${size}`, { token })
    expect(status).toBe(200)
  })

  test('a person signs in as before, in the same home namespace', async () => {
    const ada = openBrowser(app)
    expect((await ada.signIn(world.email)).status).toBe(200)
    const { body } = await ada.call('GET', '/v1/units', { scope: 'mine' })
    expect(body.units.map(({ text }: { text: string }) => text)).toEqual(['a note of her own'])
  })

  test('writing continues where it stood, and uploaded bytes go with their last Unit', async () => {
    const { owner: token } = world.callers
    const alpha = rows.exported.head?.map((row) => JSON.parse(row)).find(({ audit_seq }) => audit_seq > 300)
    const ingest = (body: object) => app.call('POST', '/v1/ingest', { token, scope: 'deck', body })
    const { body } = await ingest({ units: [{ external_id: 'new', text: 'written here', acl_groups: ['*'] }] })
    expect(body).toMatchObject({ counts: { created: 1 } })
    // The target erases the deleted scopes, which is a write, too.
    expect(body.seq).toBeGreaterThan(alpha.seq)
    const again = await ingest({ units: [{ external_id: 'note-2', text: 'fog again', acl_groups: ['guests'] }] })
    expect(again.body.counts).toEqual({ created: 0, updated: 0, unchanged: 1 })
    const { objects, catalog } = app.runtime.bindings
    const found = await catalog.access.namespace('alpha')
    const key = `${found?.namespace.id}/${world.sourceUri.replace('source://', '')}`
    expect(bigSource.equals((await objects.get(key)) ?? Buffer.of())).toBe(true)
    const remove = { token, scope: '*', body: { filter: { external_id: 'note-0' }, hard: true } }
    const removed = await app.call('POST', '/v1/units:delete', remove)
    expect(removed.body).toMatchObject({ purged: 1, sources_purged: 1 })
    await app.runtime.domain.background.idle()
    expect(await objects.get(key)).toBeNull()
    const verified = await app.call('GET', '/v1/audit/verify', { token })
    // Rows for the import, two writes, and the rejected requests.
    expect(verified.body).toMatchObject({ intact: true, checked: verified.body.head_seq })
    expect(verified.body.head_seq).toBeGreaterThanOrEqual(alpha.audit_seq + 3)
  })
})

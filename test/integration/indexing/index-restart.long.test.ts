import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSnapshot, snapshotPath, writeSnapshot } from '../../../src/adapters/index-embedded/shard/snapshot.ts'
import { put } from '../../contract/index-fixtures.ts'
import { comparable } from '../../property/non-interference/questions.ts'
import { sampled } from '../../support/amounts.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { take } from '../../support/index/shards.ts'

const namespaces = ['demo', 'yard'] as const
type Name = (typeof namespaces)[number]
const facts = new Map<Name, { token: string; id: string; head: number; answers: unknown[] }>()
const factsOf = (name: Name) => facts.get(name) ?? { token: '', id: '', head: 0, answers: [] }

let storage: TestStorage
let directory: string
let pristine: string
const path = (name: Name) => snapshotPath(directory, factsOf(name).id)

const questions = [
  { q: 'why did the battery pack overheat at pier 4', top_k: 50 },
  { q: 'cloud cost report' },
  { q: 'anchoor wynch', top_k: 5 },
  { q: 'lantern', filters: { metadata: { tags: 'wet', size: { gte: 2 } } } },
  { q: '', filters: { modality: ['image', 'text'] }, top_k: 50 },
  { q: 'crate', vector: { text: [1, 2, 3] } },
]
const ask = (app: TestApp, name: Name) =>
  Promise.all(
    // The demo namespace would need another vector length.
    questions.slice(0, name === 'demo' ? 5 : 6).map(async (body) => {
      const headers = { 'x-request-id': 'the-same' }
      const reply = await app.call('POST', '/v1/search', { token: factsOf(name).token, headers, body })
      expect(reply.status).toBe(200)
      expect(reply.body.trace).toMatchObject({ seq: factsOf(name).head, index_seq: factsOf(name).head, degraded: [] })
      return comparable(reply, 'exact')
    }),
  )

beforeAll(async () => {
  storage = await createStorage()
  directory = join(storage.dataDir, 'index')
  pristine = join(storage.dataDir, 'index-as-it-was')
  const app = await boot({ storage })
  const demo = (await app.call('POST', '/v1/admin/seed')).body.tokens.admin
  const yard = await app.principal({ id: 'yard-keeper', namespace: 'yard' })
  const units = Array.from({ length: 60 }, (_, i) => ({
    text: `${i % 3 === 0 ? 'lantern' : 'crate'} ${'anchor winch '.repeat(i % 4)} ${i}`,
    external_id: `${i}`,
    metadata: { tags: i % 2 === 0 ? ['wet', 'cold'] : ['dry'], size: i % 5 },
    ...(i % 2 === 0 ? { vector: [i, 5, 1] } : {}),
  }))
  const ingest = (body: object) => app.call('POST', '/v1/ingest', { token: yard, scope: 'dock', body })
  await ingest({ units })
  await ingest({ units: units.slice(0, 20).map((unit) => ({ ...unit, text: `${unit.text} again` })) })
  for (const [external_id, hard] of [
    ['30', true],
    ['31', false],
  ] as const) {
    await app.call('POST', '/v1/units:delete', { token: yard, body: { filter: { external_id }, hard } })
  }
  // Waits until the indexes have applied the deletions too.
  expect((await ingest({ units: [{ text: 'the last crate' }] })).body.indexed).toBe(true)
  for (const [name, token] of [
    ['demo', demo],
    ['yard', yard],
  ] as const) {
    const { catalog } = app.runtime.bindings
    const id = (await catalog.access.namespace(name))?.namespace.id ?? ''
    facts.set(name, { token, id, head: await catalog.changes.headSeq(id), answers: [] })
    factsOf(name).answers = await ask(app, name)
  }
  await app.close({ keep: true })
  cpSync(directory, pristine, { recursive: true })
})
afterAll(() => storage.remove())

/** Restarts on a copy of the data after `tamper`; returns the warnings and the indexes' initial cursors. */
async function restart(tamper: () => unknown) {
  rmSync(directory, { recursive: true })
  cpSync(pristine, directory, { recursive: true })
  await tamper()
  const warnings: string[] = []
  const note = (_: object, message: string) => void warnings.push(message)
  const app = await boot({ storage, bindings: { log: { info: () => {}, warn: note, error: note } } })
  const { texts } = app.runtime.bindings
  const cursors = await Promise.all(namespaces.map((name) => texts.feed.cursor(factsOf(name).id)))
  return { app, warnings, cursors, close: () => app.close({ keep: true }) }
}

const heads = () => namespaces.map((name) => factsOf(name).head)
const useless = 'an index snapshot is unusable; rebuilding'

describe('after a restart, searches answer the same', () => {
  test('from the snapshots', async () => {
    const { app, warnings, cursors, close } = await restart(() => {})
    expect(cursors).toEqual(heads())
    for (const name of namespaces) expect(await ask(app, name)).toEqual(factsOf(name).answers)
    await close()
    expect(warnings).toEqual([])
    // Without changes nothing was written.
    for (const name of namespaces) {
      expect(readFileSync(path(name)).equals(readFileSync(path(name).replace(directory, pristine)))).toBe(true)
    }
  })

  const tamperings: Record<string, { tamper: () => unknown; damaged: number; cursors: number[] }> = {
    'with a damaged one': { tamper: () => flip(path('yard')), damaged: 1, cursors: [1, 0] },
    'with one cut short': {
      tamper: () => truncateSync(path('yard'), statSync(path('yard')).size - 1),
      damaged: 1,
      cursors: [1, 0],
    },
    'with an empty one': { tamper: () => truncateSync(path('demo'), 0), damaged: 1, cursors: [0, 1] },
    'with one swapped for the other’s': {
      tamper: () => cpSync(path('demo'), path('yard')),
      damaged: 1,
      cursors: [1, 0],
    },
    'with one deleted': { tamper: () => rmSync(path('demo')), damaged: 0, cursors: [0, 1] },
    'without any': { tamper: () => rmSync(directory, { recursive: true }), damaged: 0, cursors: [0, 0] },
    'beside what a crash left half written': {
      tamper: () => {
        for (const name of namespaces) writeFileSync(`${path(name)}.tmp`, readFileSync(path(name)).subarray(0, 5000))
        writeFileSync(join(directory, 'unheard-of.snapshot.tmp'), 'half')
      },
      damaged: 0,
      cursors: [1, 1],
    },
  }
  for (const [name, { tamper, damaged, cursors: expected }] of sampled(Object.entries(tamperings), 4)) {
    test(name, async () => {
      const { app, warnings, cursors, close } = await restart(tamper)
      expect(cursors).toEqual(heads().map((head, i) => head * (expected[i] ?? 0)))
      for (const name of namespaces) expect(await ask(app, name)).toEqual(factsOf(name).answers)
      await close()
      expect(warnings).toEqual(Array.from({ length: damaged }, () => useless))
      // The rebuilt index is in a snapshot again.
      for (const name of namespaces) {
        expect((await readSnapshot(directory, factsOf(name).id)).cursor).toBe(factsOf(name).head)
        expect(readdirSync(directory)).toContain(path(name).replace(`${directory}/`, ''))
      }
    })
  }

  describe('with a snapshot of another history, ahead of the catalog', () => {
    const ahead = async () => {
      const { id, head } = factsOf('yard')
      const { shard } = await readSnapshot(directory, id)
      const app = await boot({ storage })
      const [known] = await app.runtime.bindings.catalog.changes.of(id, [...shard.manifest(0).keys()].slice(0, 1))
      await app.close({ keep: true })
      if (known?.kind !== 'put') throw new Error('the Unit is not live')
      const ghost = { ...known.unit, unitId: 'unit_ghost', seq: head + 900, text: 'lantern crate anchor winch' }
      await writeSnapshot(directory, id, take(shard, [put(ghost)]), head + 1000)
    }
    const ghosts = async (app: TestApp) =>
      [...(await app.runtime.bindings.texts.feed.manifest(factsOf('yard').id, 'text')).keys()].filter(
        (unitId) => unitId === 'unit_ghost',
      )

    test('which is rebuilt when a search comes first', async () => {
      const { app, warnings, cursors, close } = await restart(ahead)
      expect(cursors[1]).toBe(factsOf('yard').head + 1000)
      expect(await ghosts(app)).toHaveLength(1)
      expect(await ask(app, 'yard')).toEqual(factsOf('yard').answers)
      expect(await ghosts(app)).toEqual([])
      expect(warnings).toEqual(['an index is ahead of the catalog; rebuilding'])
      await close()
      expect((await readSnapshot(directory, factsOf('yard').id)).cursor).toBe(factsOf('yard').head)
    })

    // Last, because it writes.
    test('which is rebuilt when an ingest comes first, that answers once it is found', async () => {
      const { app, close } = await restart(ahead)
      const { token } = factsOf('yard')
      const body = { units: [{ text: 'a bollard' }] }
      const ingested = await app.call('POST', '/v1/ingest', { token, scope: 'dock', body })
      expect(ingested.body.indexed).toBe(true)
      expect(await app.runtime.bindings.texts.feed.cursor(factsOf('yard').id)).toBe(ingested.body.seq)
      const found = await app.call('POST', '/v1/search', { token, body: { q: 'bollard', top_k: 1 } })
      expect(found.body.hits.map((hit: { text: string }) => hit.text)).toEqual(['a bollard'])
      expect(await ghosts(app)).toEqual([])
      await close()
    })
  })
})

/** Flips one bit in the middle. */
function flip(file: string): void {
  const bytes = readFileSync(file)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openCatalog, type PrismaCatalog } from '../../src/adapters/catalog/catalog.ts'
import type { IndexChange, IndexFeed } from '../../src/ports/indexes/index-filter.ts'
import { propertyRuns } from '../support/amounts.ts'
import { createStorage, type TestStorage } from '../support/database/database.ts'
import { createFeedTimes } from '../support/database/feed-times.ts'
import { createHeldRows, type Outcome } from '../support/database/held-rows.ts'
import { indexedUnit, put, readers, remove } from './index-fixtures.ts'

let storage: TestStorage
let catalog: PrismaCatalog

beforeAll(async () => {
  storage = await createStorage()
  catalog = await openCatalog(storage.catalog, { info: () => {}, warn: () => {}, error: () => {} })
})
afterAll(async () => {
  await catalog.close()
  await storage.remove()
})

let namespaces = 0
async function createNamespace(): Promise<string> {
  namespaces += 1
  const id = `ns_${namespaces}`
  await catalog.client.namespace.create({ data: { id, name: id, tier: 'free', createdAt: 0 } })
  return id
}

const step = fc.record({
  /** The changes that are first written to the catalog: Units, their deletions, or readers of those that are there. */
  changes: fc.array(fc.record({ unitId: fc.constantFrom('a', 'b'), kind: fc.constantFrom('put', 'gone', 'readers') }), {
    minLength: 1,
    maxLength: 3,
  }),
  feeder: fc.nat(2),
  size: fc.integer({ min: 1, max: 6 }),
  /** False if the next step may start before this one ends. */
  waits: fc.boolean(),
  gives: fc.boolean(),
  after: fc.constantFrom('nothing', 'nothing', 'arrive', 'leases end', 'time passes'),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
const outcomes = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<Outcome>('done') },
    { weight: 2, arbitrary: fc.constantFrom<Outcome[]>('refused', 'lost', 'unanswered', 'late', 'repeated') },
    { weight: 1, arbitrary: fc.constant<Outcome>('killed') },
  ),
  { minLength: 4, maxLength: 15 },
)

it('an index holds what the catalog holds as soon as nothing is pending, and stays so', async () => {
  const run = async (steps: Step[], drawn: Outcome[]) => {
    const namespaceId = await createNamespace()
    const engine = createHeldRows()
    const { feed, leasesEnd, timePasses } = createFeedTimes(engine, catalog, namespaceId)
    const heldSeqs = () =>
      [...engine.rows(namespaceId).values()].map(({ unitId, seq, text }) => `${unitId}@${seq} ${text}`).sort()
    engine.outcomes = [...drawn]
    const log: IndexChange[] = []
    const expected = new Map<string, string>()
    let processes = 0
    const start = () => {
      processes += 1
      return { feed: feed(`${namespaceId} ${processes}`), tasks: 0 }
    }
    let feeders = [start(), start(), start()]
    const expectEqualIfDone = async () => {
      if ((await catalog.indexCursors.read(namespaceId, 'rows')) !== log.length) return false
      expect(heldSeqs()).toEqual([...expected.values()].sort())
      return true
    }
    const applyOf = async (feed: IndexFeed, size: number) => {
      const from = await feed.cursor(namespaceId)
      const upTo = Math.min(log.length, from + size)
      if (upTo > from) await feed.apply(namespaceId, log.slice(from, upTo), upTo).catch(() => false)
    }
    const passing = { arrive: engine.arrive, 'leases end': leasesEnd, 'time passes': timePasses, nothing: () => {} }
    let kills = 0
    for (const { changes, feeder, size, waits, gives, after } of steps) {
      // A process that replaces a dead one has another name. All busy processes are replaced, because any of them may
      // be the dead one.
      if (engine.kills > kills) feeders = feeders.map((one) => (one.tasks > 0 ? start() : one))
      kills = engine.kills
      for (const { unitId, kind } of changes) {
        const seq = log.length + 1
        const before = expected.get(unitId)?.split(' ')[1]
        if (kind === 'gone') {
          log.push(remove(unitId, seq))
          expected.delete(unitId)
          continue
        }
        const isWhole = kind === 'put' || before === undefined
        const text = isWhole ? `written-${seq}` : before
        const acl = { owner: 'someone', groups: [`g${seq}`] }
        log.push(isWhole ? put(indexedUnit(unitId, seq, { text, acl })) : readers(unitId, seq, acl))
        expected.set(unitId, `${unitId}@${seq} ${text}`)
      }
      const at = feeders[feeder] ?? start()
      at.tasks += 1
      const applied = applyOf(at.feed, size)
        .then(() => (gives ? at.feed.release(namespaceId) : undefined))
        .finally(() => {
          at.tasks -= 1
        })
      if (waits && engine.kills === kills) await Promise.race([applied, engine.nextKill()])
      await passing[after as keyof typeof passing]()
      await expectEqualIfDone()
    }
    engine.outcomes = []
    const last = start()
    const finish = async () => {
      for (let tries = 0; !(await expectEqualIfDone()); tries++) {
        expect(tries).toBeLessThan(100)
        await applyOf(last.feed, 100)
        if (tries > 2) await timePasses()
      }
    }
    // The live processes continue first: no process has to replace them.
    for (const { feed, tasks } of feeders) {
      if (tasks > 0) continue
      for (let tries = 0; tries < 2; tries++) await applyOf(feed, 100)
      await feed.release(namespaceId)
      await expectEqualIfDone()
    }
    engine.arrive()
    await expectEqualIfDone()
    await leasesEnd()
    await finish()
    // Late requests that are still possible arrive after nothing is pending.
    await timePasses()
    await finish()
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), outcomes, run), {
    numRuns: propertyRuns(15),
    endOnFailure: true,
  })
})

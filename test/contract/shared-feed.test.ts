import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCatalog, type PrismaCatalog } from '../../src/adapters/catalog/catalog.ts'
import { leaseTimes } from '../../src/domain/indexing/index-leases.ts'
import { createSharedFeed } from '../../src/domain/indexing/shared-feed.ts'
import type { IndexChange, IndexFeed } from '../../src/ports/indexes/index-filter.ts'
import { createStorage, type TestStorage } from '../support/database/database.ts'
import { createHeldRows, type HeldRows, type Outcome } from '../support/database/held-rows.ts'
import { indexedUnit, put, remove } from './index-fixtures.ts'

let storage: TestStorage
let catalog: PrismaCatalog
let engine: HeldRows
let here: IndexFeed
let there: IndexFeed
let namespaceId: string
let namespaces = 0

beforeAll(async () => {
  storage = await createStorage()
  catalog = await openCatalog(storage.catalog, { info: () => {}, warn: () => {}, error: () => {} })
})
afterAll(async () => {
  await catalog.close()
  await storage.remove()
})
beforeEach(async () => {
  engine = createHeldRows()
  here = createSharedFeed(engine, catalog.indexCursors, 'here')
  there = createSharedFeed(engine, catalog.indexCursors, 'there')
  namespaceId = await createNamespace()
})

async function createNamespace(): Promise<string> {
  namespaces += 1
  const id = `ns_${namespaces}`
  await catalog.client.namespace.create({ data: { id, name: id, tier: 'free', createdAt: 0 } })
  return id
}

/** Simulates that the holder of a lease died some time ago. */
const runOut = (holder: string) =>
  catalog.client.indexCursor.updateMany({ where: { namespaceId, holder }, data: { heldUntil: 1 } })
const heldSeqs = () => [...engine.rows(namespaceId).values()].map(({ unitId, seq }) => `${unitId}@${seq}`).sort()

describe('two processes that feed one index', () => {
  it('take turns: one gets the namespace when the other has given it back', async () => {
    expect(await here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).toBe(true)
    expect(await there.apply(namespaceId, [put(indexedUnit('b', 2))], 2)).toBe(false)
    expect(await there.cursor(namespaceId)).toBe(1)
    expect(heldSeqs()).toEqual(['a@1'])
    await here.release(namespaceId)
    expect(await there.apply(namespaceId, [put(indexedUnit('b', 2))], 2)).toBe(true)
    expect(await here.cursor(namespaceId)).toBe(2)
    expect(heldSeqs()).toEqual(['a@1', 'b@2'])
  })

  it('hinder each other in one namespace only', async () => {
    const other = await createNamespace()
    expect(await here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).toBe(true)
    expect(await there.apply(other, [put(indexedUnit('a', 1))], 1)).toBe(true)
  })

  it('go on where one that died has left off', async () => {
    await here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)
    await runOut('here')
    expect(await there.apply(namespaceId, [put(indexedUnit('a', 1)), remove('a', 2)], 2)).toBe(true)
    expect(heldSeqs()).toEqual([])
  })

  it('refuse the cursor to one that was away so long that it was taken for dead, and write again what it overwrote', async () => {
    const letThrough = engine.hold()
    const late = here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)
    await expect.poll(() => catalog.client.indexCursor.count({ where: { namespaceId, holder: 'here' } })).toBe(1)
    await runOut('here')
    const taken = there.apply(namespaceId, [remove('a', 2), put(indexedUnit('b', 3))], 3)
    await expect.poll(() => catalog.client.indexCursor.count({ where: { namespaceId, holder: 'there' } })).toBe(1)
    letThrough()
    // Their order is undefined.
    await taken
    expect(await late).toBe(false)
    expect(await here.cursor(namespaceId)).toBe(0)
    await there.release(namespaceId)
    expect(await here.apply(namespaceId, [remove('a', 2), put(indexedUnit('b', 3))], 3)).toBe(false)
    expect(heldSeqs()).toEqual(['b@3'])
  })

  it('repair and reset only in their turn', async () => {
    await here.apply(namespaceId, [put(indexedUnit('a', 3))], 3)
    const letThrough = engine.hold()
    const applied = here.apply(namespaceId, [put(indexedUnit('b', 4))], 4)
    const repaired = there.repair(namespaceId, [put(indexedUnit('a', 2)), put(indexedUnit('c', 1))])
    letThrough()
    expect(await applied).toBe(true)
    await here.release(namespaceId)
    await repaired
    expect(heldSeqs()).toEqual(['a@3', 'b@4', 'c@1'])
    await there.reset(namespaceId)
    expect(await here.cursor(namespaceId)).toBe(0)
    expect(heldSeqs()).toEqual([])
  })

  it('mend what is ahead of the catalog, as after a backup of it was put back', async () => {
    await here.apply(namespaceId, [put(indexedUnit('a', 9, { text: 'of later' }))], 9)
    await here.release(namespaceId)
    await catalog.client.indexCursor.updateMany({ where: { namespaceId }, data: { cursor: 5 } })
    await there.repair(namespaceId, [put(indexedUnit('a', 4))])
    expect(heldSeqs()).toEqual(['a@4'])
  })

  it('leave the cursor where it was when the engine fails', async () => {
    engine.failing = true
    await expect(here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).rejects.toThrow('the engine takes nothing')
    expect(await here.cursor(namespaceId)).toBe(0)
    engine.failing = false
    expect(await here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).toBe(true)
  })

  it('learn which namespaces no process is updating', async () => {
    await catalog.client.head.create({ data: { namespaceId, seq: 2, auditHash: '' } })
    expect(await here.behind()).toContain(namespaceId)
    await here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)
    expect(await there.behind()).not.toContain(namespaceId)
    await here.release(namespaceId)
    expect(await there.behind()).toContain(namespaceId)
    await there.apply(namespaceId, [put(indexedUnit('b', 2))], 2)
    await there.release(namespaceId)
    expect(await here.behind()).not.toContain(namespaceId)
  })
})

/** Late requests don't arrive here by themselves. The feed waits for them until a test ends that time. */
const times = { ...leaseTimes, settleMs: 600_000, pollMs: 1 }
const feedOf = (holder: string) => createSharedFeed(engine, catalog.indexCursors, holder, times)

/** Simulates that a process died a moment ago; its lease expires now. */
const leasesEnd = () =>
  catalog.client.indexCursor.updateMany({
    where: { namespaceId, heldUntil: { gt: 0 } },
    data: { heldUntil: Date.now() },
  })

/** Simulates that all late requests have either been applied or never will be. */
async function timePasses(): Promise<void> {
  engine.arrive()
  await catalog.client.indexCursor.updateMany({
    where: { namespaceId, unsettledUntil: { gt: 0 } },
    data: { unsettledUntil: 1 },
  })
  await catalog.client.indexCursor.updateMany({
    where: { namespaceId, heldUntil: { gt: 0 } },
    data: { heldUntil: 1 },
  })
}

describe('a request that is given up and done later than those after it', () => {
  const both = [remove('a', 2), put(indexedUnit('b', 3))]

  const expectRepaired = async (feed: IndexFeed) => {
    expect(await feed.apply(namespaceId, both, 3)).toBe(false)
    // Searches see the rest immediately, but the namespace counts as behind.
    expect(heldSeqs()).toEqual(['b@3'])
    expect(await feed.apply(namespaceId, both, 3)).toBe(false)
    expect(await feed.cursor(namespaceId)).toBe(0)
    engine.arrive()
    expect(heldSeqs()).toEqual(['a@1', 'b@3'])
    expect(await feed.apply(namespaceId, both, 3)).toBe(false)
    await timePasses()
    expect(await feed.apply(namespaceId, both, 3)).toBe(true)
    expect(await feed.cursor(namespaceId)).toBe(3)
    expect(heldSeqs()).toEqual(['b@3'])
  }

  it('keeps the cursor where it was until it can come no more, and is written over', async () => {
    engine.outcomes = ['late']
    const feed = feedOf('here')
    await expect(feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).rejects.toThrow('does not answer')
    await expectRepaired(feed)
  })

  it('does so too where a repetition of it succeeded', async () => {
    engine.outcomes = ['repeated']
    const feed = feedOf('here')
    expect(await feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).toBe(false)
    await expectRepaired(feed)
  })

  it('does so too where its process gave the namespace back', async () => {
    engine.outcomes = ['late']
    const feed = feedOf('here')
    await expect(feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).rejects.toThrow('does not answer')
    await leasesEnd()
    await feed.release(namespaceId)
    await expectRepaired(feedOf('there'))
  })

  it('does so too where its process died', async () => {
    engine.outcomes = ['killed']
    feedOf('dead')
      .apply(namespaceId, [put(indexedUnit('a', 1))], 1)
      .catch(() => {})
    await expect.poll(() => engine.outcomes).toEqual([])
    await leasesEnd()
    await expectRepaired(feedOf('next'))
  })

  it('takes the cursor back where a repair sent it', async () => {
    const feed = feedOf('here')
    expect(await feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).toBe(true)
    engine.rows(namespaceId).clear()
    engine.outcomes = ['late']
    await expect(feed.repair(namespaceId, [put(indexedUnit('a', 1))])).rejects.toThrow('does not answer')
    await expectRepaired(feed)
  })

  it('is recorded later where the catalog is away', async () => {
    const { reopen } = catalog.indexCursors
    const away = async () => {
      throw new Error('the catalog is away')
    }
    const cursors = { ...catalog.indexCursors, reopen: away as typeof reopen }
    const feed = createSharedFeed(engine, cursors, 'here', times)
    engine.outcomes = ['late']
    await expect(feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).rejects.toThrow('is away')
    await expect(feed.apply(namespaceId, both, 3)).rejects.toThrow('is away')
    expect(heldSeqs()).toEqual([])
    cursors.reopen = reopen
    await expectRepaired(feed)
  })

  it('is of no concern where the engine refused it', async () => {
    engine.outcomes = ['refused']
    const feed = feedOf('here')
    await expect(feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).rejects.toThrow('is busy')
    expect(await feed.apply(namespaceId, both, 3)).toBe(true)
    expect(heldSeqs()).toEqual(['b@3'])
  })
})

const step = fc.record({
  /** The changes that are first written to the catalog: Units, or their deletions. */
  changes: fc.array(fc.record({ unitId: fc.constantFrom('a', 'b'), gone: fc.boolean() }), {
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
    namespaceId = await createNamespace()
    engine = createHeldRows()
    engine.outcomes = [...drawn]
    const log: IndexChange[] = []
    const expected = new Map<string, string>()
    let processes = 0
    const start = () => {
      processes += 1
      return { feed: createSharedFeed(engine, catalog.indexCursors, `${namespaceId} ${processes}`, times), tasks: 0 }
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
      for (const { unitId, gone } of changes) {
        const seq = log.length + 1
        log.push(gone ? remove(unitId, seq) : put(indexedUnit(unitId, seq)))
        if (gone) expected.delete(unitId)
        else expected.set(unitId, `${unitId}@${seq}`)
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
    numRuns: Number(process.env.PROPERTY_RUNS ?? 15),
    endOnFailure: true,
  })
}, 120_000)

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { compact } from '../../src/adapters/index-embedded/shard/put-unit.ts'
import { Shard } from '../../src/adapters/index-embedded/shard/shard.ts'
import {
  magic,
  readSnapshot,
  removeSnapshot,
  snapshotPath,
  writeSnapshot,
} from '../../src/adapters/index-embedded/shard/snapshot.ts'
import { indexedUnit, put, remove } from '../contract/index-fixtures.ts'
import { answersOf, shardOf, take, variedUnits } from '../support/index/shards.ts'
import { tempDir } from '../support/temp-dir.ts'

let folder: ReturnType<typeof tempDir>
beforeEach(() => {
  folder = tempDir('snapshot')
})
afterEach(() => folder.remove())

const columnsOf = (shard: Shard) =>
  Object.fromEntries(
    Object.entries(shard.state.columns).map(([name, { kind, array, length }]) => [
      name,
      { kind, values: [...array.subarray(0, length)] },
    ]),
  )

describe('a snapshot', () => {
  it('gives back the shard and the cursor that were written', async () => {
    const shard = shardOf(variedUnits())
    await writeSnapshot(folder.path, 'ns', shard, 8)
    const read = await readSnapshot(folder.path, 'ns')
    expect(read).toMatchObject({ cursor: 8, damage: null })
    expect(answersOf(read.shard)).toStrictEqual(answersOf(shard))
    expect(columnsOf(read.shard)).toStrictEqual(columnsOf(shard))
    expect(read.shard.matrices.map(({ state: { plane, model, dims }, slots }) => [plane, model, dims, slots])).toEqual([
      ['text', 'm', 4, 8],
      ['visual', 'm', 4, 1],
      ['audio', 'other', 5, 1],
      ['text', 'other', 5, 3],
    ])
  })

  it('can be empty, and replaces its older one', async () => {
    await writeSnapshot(folder.path, 'ns', shardOf(variedUnits()), 8)
    await writeSnapshot(folder.path, 'ns', new Shard(), 9)
    const { shard, cursor, damage } = await readSnapshot(folder.path, 'ns')
    expect([shard.rowCount, cursor, damage]).toEqual([0, 9, null])
    expect(readdirSync(folder.path)).toHaveLength(1)
  })

  it('is one of none at first, and after it was removed', async () => {
    const none = { cursor: 0, damage: null }
    expect(await readSnapshot(folder.path, 'ns')).toMatchObject(none)
    await writeSnapshot(folder.path, 'ns', shardOf(variedUnits()), 8)
    await removeSnapshot(folder.path, 'ns')
    await removeSnapshot(folder.path, 'ns')
    const read = await readSnapshot(folder.path, 'ns')
    expect(read).toMatchObject(none)
    expect(answersOf(read.shard)).toStrictEqual(answersOf(new Shard()))
  })

  it('keeps to itself what other namespaces are called', async () => {
    const hostile = ['../ns', '..', 'a/b', '', 'NS', 'n\u0000s', 'x'.repeat(5000)]
    for (const [i, namespaceId] of hostile.entries()) {
      await writeSnapshot(folder.path, namespaceId, shardOf([indexedUnit(`u${i}`, 1)]), i + 1)
    }
    expect(readdirSync(folder.path)).toHaveLength(hostile.length)
    for (const [i, namespaceId] of hostile.entries()) {
      const { shard, cursor } = await readSnapshot(folder.path, namespaceId)
      expect([shard.unitIds.text(0), cursor]).toEqual([`u${i}`, i + 1])
    }
  })

  it('can be continued: the same changes lead to the same shard from it as from the original', async () => {
    const word = fc.constantFrom('ferry', 'harbour', 'storm', 'ferries', 'the', '東京')
    const change = fc.record({
      unit: fc.nat(9),
      gone: fc.boolean(),
      words: fc.array(word, { maxLength: 6 }),
      values: fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 4, maxLength: 4 }),
      tags: fc.array(word, { maxLength: 2 }),
      owner: fc.constantFrom('me', 'you'),
    })
    const history = fc.array(change, { maxLength: 40 })
    const changesOf = (drawn: (typeof change extends fc.Arbitrary<infer C> ? C : never)[], from: number) =>
      drawn.map(({ unit, gone, words, values, tags, owner }, i) => {
        const [unitId, seq] = [`u${unit}`, from + i + 1]
        if (gone && words.length < 3) return remove(unitId, seq)
        const vector = { model: 'm', values: Float32Array.from(values) }
        const acl = { owner, groups: tags }
        return put(indexedUnit(unitId, seq, { text: words.join(' '), vector, acl, metadata: { tags } }))
      })
    const property = fc.asyncProperty(history, history, async (before, after) => {
      const original = take(new Shard(), changesOf(before, 0))
      await writeSnapshot(folder.path, 'ns', compact(original), before.length)
      const { shard } = await readSnapshot(folder.path, 'ns')
      expect(answersOf(shard)).toStrictEqual(answersOf(original))
      const more = changesOf(after, before.length)
      expect(answersOf(take(shard, more))).toStrictEqual(answersOf(take(original, more)))
    })
    await fc.assert(property, { numRuns: 60 })
  })

  it('says the same after changes of readers as after puts of whole Units, in a shard that others read meanwhile', () => {
    const units = variedUnits()
    const [changed, whole] = [shardOf(units), shardOf(units)]
    const readers = units.map(({ unitId, plane, acl }, i) => {
      const groups = i % 2 === 0 ? ['eng'] : acl.groups
      return { kind: 'readers' as const, unitId, plane, seq: 20 + i, acl: { owner: 'other', groups }, updatedAt: 2000 }
    })
    const before = new Shard(changed.state)
    const answers = answersOf(before)
    take(changed, readers)
    take(
      whole,
      units.map((unit, i) => put({ ...unit, ...readers[i] })),
    )
    expect(answersOf(changed)).toStrictEqual(answersOf(whole))
    expect(answersOf(compact(changed))).toStrictEqual(answersOf(compact(whole)))
    // It has the state from before; its manifests are the writer's alone.
    expect({ ...answersOf(before), manifests: [] }).toStrictEqual({ ...answers, manifests: [] })
    expect(answers).not.toStrictEqual(answersOf(changed))
    const late = { ...readers[0], seq: 3, acl: { owner: 'late', groups: [] } } as (typeof readers)[number]
    expect(answersOf(take(changed, [late, { ...late, unitId: 'unknown' }]))).toStrictEqual(answersOf(whole))
  })

  it('has another number whenever its bytes would differ: older files are then rebuilt', async () => {
    await writeSnapshot(folder.path, 'ns', shardOf(variedUnits()), 8)
    const bytes = readFileSync(snapshotPath(folder.path, 'ns'))
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    // If this fails, the columns, their order or the analysis changed: increase the number in format.ts, then update
    // both values here.
    expect(`${magic} ${digest}`).toBe('RIDX0010 4b632ffb481b8825')
  })

  it('takes the place of what a crash left half written', async () => {
    writeFileSync(`${snapshotPath(folder.path, 'ns')}.tmp`, 'half')
    expect(await readSnapshot(folder.path, 'ns')).toMatchObject({ cursor: 0, damage: null })
    await writeSnapshot(folder.path, 'ns', shardOf(variedUnits()), 8)
    expect((await readSnapshot(folder.path, 'ns')).cursor).toBe(8)
    expect(readdirSync(folder.path).map((name) => join(folder.path, name))).toEqual([snapshotPath(folder.path, 'ns')])
  })
})

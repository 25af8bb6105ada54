import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Spaces } from '../../src/adapters/catalog/replica/spaces.ts'
import type { TestApp } from '../support/boot.ts'
import { changeAll, mutations } from './catalog-memory/change.ts'
import { bootReplicas, closeReplicas } from './catalog-memory/replicas.ts'
import { forAllRuns } from './draw.ts'

type Apply = Spaces['apply']

/** Ways to forget what has changed. */
const mutants: Record<string, (apply: Apply) => Apply> = {
  'which Units changed': (apply) =>
    function (this: Spaces, known, proof) {
      apply.call(this, known, Object.assign(proof, { changed: [], units: [] }))
    },
  'the counts': (apply) =>
    function (this: Spaces, known, proof) {
      apply.call(this, known, known ? Object.assign(proof, { counts: known.counts }) : proof)
    },
  'which Units were deleted': (apply) =>
    function (this: Spaces, known, proof) {
      apply.call(this, known, Object.assign(proof, { changed: proof.units.map(({ unitId }) => unitId) }))
    },
}

const changing = ['ingest', 'updateUnit', 'deleteUnits', 'restoreUnits']

describe.skipIf(!process.env.TEST_DATABASE_URL)('the memory of a replica (needs TEST_DATABASE_URL)', () => {
  let apps: TestApp[]
  beforeAll(async () => {
    apps = await bootReplicas()
  })
  afterAll(() => closeReplicas(apps))

  const find = async () => {
    let found: string[] = []
    await forAllRuns(1, async (draw) => {
      const fields = mutations.filter(({ name }) => changing.includes(name))
      found = await changeAll(apps[0] as TestApp, draw, fields, 25, apps)
    })
    return found
  }

  test.each(Object.entries(mutants))('that forgets %s is found out', { timeout: 240_000 }, async (_, mutant) => {
    const { apply } = Spaces.prototype
    Spaces.prototype.apply = mutant(apply)
    const found = await find().finally(() => {
      Spaces.prototype.apply = apply
    })
    expect(found.length).toBeGreaterThan(0)
  })
})

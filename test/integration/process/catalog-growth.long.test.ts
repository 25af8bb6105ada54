import { expect, test } from 'vitest'
import { grew, isSweep, samePlan, sweeps, walks } from '../../../bench/catalog-growth/compare.ts'
import { createGrowthWorld } from '../../../bench/catalog-growth/world.ts'

/** Copies of everything, as other tenants: before and after. */
const [few, many] = [10, 100]

// The embedded database has one connection, which what is measured and what measures would share.
const onServer = process.env.TEST_DATABASE_URL === undefined ? test.skip : test

onServer(
  'no hot statement reads more as all else becomes ten times as large (needs TEST_DATABASE_URL)',
  async () => {
    await using growth = await createGrowthWorld({ seqscan: false })
    await growth.measure()
    await growth.grow(few)
    const rows = await growth.rows()
    const before = await growth.measure()
    await growth.grow(many)
    expect(await growth.rows()).toBeGreaterThan(7 * rows)
    const after = await growth.measure()

    // Everything was measured, also what runs rarely.
    expect([...growth.failures]).toEqual([])
    expect(after.size).toBeGreaterThan(120)
    const walked = [...after.values()].filter(isSweep)
    expect(sweeps.filter(({ begins }) => !walked.some(({ statement }) => statement.startsWith(begins)))).toEqual([])

    const hot = [...after.values()].filter((peak) => !isSweep(peak))
    const growing = hot.filter((peak) => {
      const earlier = before.get(peak.statement)
      return walks(peak) || (earlier !== undefined && samePlan(earlier, peak) && grew(earlier, peak))
    })
    expect(growing.map((peak) => ({ ...peak, before: before.get(peak.statement) }))).toEqual([])
    // The measure can tell: a walk through everything grows.
    expect(walked.some((peak) => grew(before.get(peak.statement) ?? peak, peak))).toBe(true)
  },
  600_000,
)

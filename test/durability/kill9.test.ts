import { expect, test } from 'vitest'
import { killRounds } from './kill9.ts'

const rounds = Number(process.env.KILL_ROUNDS ?? 1)
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)

test(`what was acknowledged survives ${rounds} kills (KILL_SEED=${seed})`, {
  timeout: 60_000 + rounds * 120_000,
}, async () => {
  const figures = await killRounds(rounds, { seed })
  // Printed, because a pass means little if almost nothing was in flight.
  console.log(`kill -9: ${JSON.stringify(figures)}`)
  expect(figures.acknowledged.units).toBeGreaterThan(0)
})

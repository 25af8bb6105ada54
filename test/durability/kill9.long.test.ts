import { expect, test } from 'vitest'
import { killSeed, kills } from '../support/amounts.ts'
import { killRounds } from './kill9.ts'

const rounds = kills(1)
const seed = killSeed

test(`what was acknowledged survives ${rounds} kills (KILL_SEED=${seed})`, {
  timeout: 180_000 * (rounds + 1),
}, async () => {
  const figures = await killRounds(rounds, { seed })
  // Printed, because a pass means little if almost nothing was in flight.
  console.log(`kill -9: ${JSON.stringify(figures)}`)
  expect(figures.acknowledged.units).toBeGreaterThan(0)
})

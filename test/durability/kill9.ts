import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { expectSoundCatalog } from '../support/database/catalog-rows.ts'
import { createStorage, type TestStorage } from '../support/database/database.ts'
import { environmentOf, ServerDidNotStartError, startServerProcess } from '../support/process/server-process.ts'
import { expectFound, expectListing, resend, settleInFlight } from './checks.ts'
import { createChance, createLedger, createSend, type Ledger, type Send, writeUntilGone } from './load.ts'

export interface KillFigures {
  rounds: number
  /** Acknowledged batches and deletions, and the Units that they wrote and deleted. */
  acknowledged: Ledger['acknowledged']
  /** Operations without an answer because of the kill, and how many of these had committed. */
  inFlight: number
  landed: number
  auditRows: number
  /** The longest start after a kill, until it listened. */
  recoveryMs: number
}

const clients = 5

/**
 * In each round several clients write as fast as possible, and the server is killed with SIGKILL at a random moment. It
 * is killed again during recovery, then started on the same data. It must hold exactly the acknowledged data.
 */
export async function killRounds(rounds: number, { seed }: { seed: number }): Promise<KillFigures> {
  const storage = await createStorage()
  const ledger = createLedger()
  const chance = createChance(seed)
  const figures = { rounds, inFlight: 0, landed: 0, auditRows: 0, recoveryMs: 0 }
  let token: string | undefined
  try {
    for (let round = 0; round < rounds; round++) {
      // In the first round this kills the creation of the database.
      if (round === 0) await killStart(storage, chance)
      token = await writeUntilKilled(storage, ledger, round, chance, token)
      figures.inFlight += ledger.inFlight.length
      await killStart(storage, chance)
      const recovered = await verifyAfterRestart(storage, ledger, token, { round, isLast: round === rounds - 1 })
      figures.landed += recovered.landed
      figures.recoveryMs = Math.max(figures.recoveryMs, recovered.startMs)
      // The server has ended, so this process can read the data without the application.
      figures.auditRows = await expectSoundCatalog(storage)
    }
    return { ...figures, acknowledged: ledger.acknowledged }
  } finally {
    await storage.remove()
  }
}

/** The index writes snapshots constantly, so that kills hit them; in every second round it also evicts. */
const settings = (storage: TestStorage, round: number) => ({
  ...environmentOf(storage),
  INDEX_SNAPSHOT_MS: '1',
  ...(round % 2 === 1 ? { INDEX_MEMORY_MB: '0' } : {}),
})

async function writeUntilKilled(
  storage: TestStorage,
  ledger: Ledger,
  round: number,
  chance: (below: number) => number,
  known: string | undefined,
): Promise<string> {
  // Writers that wait for the index are slower; in every other round they don't wait.
  const env = { ...settings(storage, round), INGEST_WAIT_MS: round % 2 === 0 ? '0' : '2000' }
  await using server = await startServerProcess(env)
  const token = known ?? (await seedDemo(server.url))
  const send = createSend(server.url, token)
  const writing = Promise.all(
    Array.from({ length: clients }, (_, i) =>
      writeUntilGone(send, ledger, `r${round}c${i}`, createChance(chance(1e9))),
    ),
  )
  // A slow machine may not have started writing yet, and a first round without writes would prove nothing.
  const begun = expect.poll(() => ledger.acknowledged.operations, { interval: 5 }).toBeGreaterThan(0)
  await Promise.race([writing, begun])
  await Promise.race([writing, sleep(100 + chance(1400))])
  server.kill('SIGKILL')
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' })
  await writing
  expect(server.stderr).toBe('')
  return token
}

/** Kills a start while it creates or recovers its database; this must be safe at any moment. */
async function killStart(storage: TestStorage, chance: (below: number) => number): Promise<void> {
  try {
    await using _server = await startServerProcess(environmentOf(storage), { timeoutMs: 200 + chance(800) })
  } catch (error) {
    if (!(error instanceof ServerDidNotStartError)) throw error
    expect(error.exit).toEqual({ code: null, signal: 'SIGKILL' })
  }
}

async function verifyAfterRestart(
  storage: TestStorage,
  ledger: Ledger,
  token: string,
  { round, isLast }: { round: number; isLast: boolean },
) {
  const started = performance.now()
  await using server = await startServerProcess(settings(storage, round))
  const startMs = Math.round(performance.now() - started)
  const send = createSend(server.url, token)
  const landed = await settleInFlight(send, ledger)
  await verify(send, ledger, isLast)
  await resend(send, ledger, landed)
  await verify(send, ledger, false)
  server.kill('SIGTERM')
  expect(await server.exited).toEqual({ code: 0, signal: null })
  expect(server.stderr).toBe('')
  return { landed: landed.length, startMs }
}

/** The listing covers every Unit. Single reads and searches cover the Units of this round, and at the end all Units. */
async function verify(send: Send, ledger: Ledger, all: boolean): Promise<void> {
  await expectListing(send, ledger)
  await expectFound(
    send,
    [...ledger.units.values()].filter((unit) => all || ledger.touched.has(unit.externalId)),
  )
  ledger.touched.clear()
}

async function seedDemo(url: string): Promise<string> {
  const response = await fetch(`${url}/v1/admin/seed`, { method: 'POST' })
  expect(response.status).toBe(200)
  const { tokens } = (await response.json()) as { tokens: { admin: string } }
  return tokens.admin
}

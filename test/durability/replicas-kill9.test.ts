import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { killSeed, kills } from '../support/amounts.ts'
import { expectSoundCatalog } from '../support/database/catalog-rows.ts'
import { createReplicas, replicaAdmin } from '../support/process/replicas.ts'
import type { ServerProcess } from '../support/process/server-process.ts'
import { expectFound, expectListing } from './checks.ts'
import { createChance, createLedger, createSend, type Send } from './load.ts'
import { type Losses, writeThrough } from './replica-load.ts'

const rounds = kills(1)
const seed = killSeed
const clients = 8

/** Units per round that are checked one by one through each replica; the listing is compared as a whole. */
const looked = 100

/** Both replicas sign constantly. */
const settings = { AUDIT_CHECKPOINT_SECONDS: '0.2', LOG_LEVEL: 'error' }

/** Odd rounds wait for the index and write snapshots constantly, so that kills hit them. */
const settingsOf = (round: number): Record<string, string> =>
  round % 2 === 1 ? { INDEX_SNAPSHOT_MS: '1', INGEST_WAIT_MS: '2000' } : { INGEST_WAIT_MS: '0' }

describe.skipIf(!process.env.TEST_DATABASE_URL)('two replicas (needs TEST_DATABASE_URL)', () => {
  test(`lose nothing and hold nothing twice, whichever is killed, in ${rounds} rounds (KILL_SEED=${seed})`, {
    timeout: (rounds + 1) * 180_000,
  }, async () => {
    await using replicas = await createReplicas(settings)
    const chance = createChance(seed)
    const ledger = createLedger()
    const losses: Losses = { retried: 0, landed: 0 }
    let running: [ServerProcess, ServerProcess] = [await replicas.start(0), await replicas.start(1)]
    const sends = (): Send[] => running.map(({ url }) => createSend(url, replicaAdmin))
    const [first] = running
    await fetch(`${first.url}/v1/admin/seed`, { method: 'POST', headers: { authorization: `Bearer ${replicaAdmin}` } })
    let auditRows = 0

    for (let round = 0; round < rounds; round += 1) {
      let over = false
      const done = () => ledger.acknowledged.operations
      const writing = Promise.all(
        Array.from({ length: clients }, (_, i) =>
          writeThrough(sends, ledger, losses, `r${round}c${i}`, createChance(chance(1e9)), () => over),
        ),
      )
      const progress = async (operations: number) => {
        const from = done()
        const enough = expect.poll(done, { interval: 5 }).toBeGreaterThan(from + operations)
        await Promise.race([writing, enough])
      }
      await progress(clients)
      await sleep(100 + chance(900))
      const victim = chance(2)
      running[victim]?.kill('SIGKILL')
      expect(await running[victim]?.exited).toEqual({ code: null, signal: 'SIGKILL' })
      await progress(clients)
      const restarted = await replicas.start(victim, settingsOf(round))
      running = victim === 0 ? [restarted, running[1]] : [running[0], restarted]
      await progress(clients)
      over = true
      await writing

      const touched = [...ledger.units.values()].filter((unit) => ledger.touched.has(unit.externalId))
      const from = chance(Math.max(1, touched.length - looked))
      const some = touched.slice(from, from + looked)
      for (const send of sends()) {
        await expectListing(send, ledger)
        await expectFound(send, some)
        const { status, body } = await send('GET', '/v1/audit/verify')
        expect({ status, intact: body.intact, reason: body.reason }).toEqual({
          status: 200,
          intact: true,
          reason: null,
        })
      }
      ledger.touched.clear()
      // The last reads may still be on their way to the log.
      await sleep(300)
      auditRows = await expectSoundCatalog(replicas.storage)
      expect(running.map(({ stderr }) => stderr)).toEqual(['', ''])
    }
    for (const replica of running) replica.kill('SIGTERM')
    for (const replica of running) expect(await replica.exited).toEqual({ code: 0, signal: null })
    expect(running.map(({ stderr }) => stderr)).toEqual(['', ''])
    console.log(`kill -9 of replicas: ${JSON.stringify({ rounds, ...ledger.acknowledged, ...losses, auditRows })}`)
  })
})

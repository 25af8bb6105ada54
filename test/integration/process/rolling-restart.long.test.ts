import { describe, expect, test } from 'vitest'
import { restarts } from '../../support/amounts.ts'
import { expectSoundCatalog } from '../../support/database/catalog-rows.ts'
import { startLoadBalancer } from '../../support/process/load-balancer.ts'
import { createReplicas, replicaAdmin } from '../../support/process/replicas.ts'

const rounds = restarts(1)
/** Writes between two stops, at least. */
const few = 20

interface Answered {
  status: number | string
  externalId: string | null
  path: string
}

describe.skipIf(!process.env.TEST_DATABASE_URL)('two replicas behind a load balancer (needs TEST_DATABASE_URL)', () => {
  test(`${rounds} rolling restarts under load lose nothing and fail nobody`, {
    timeout: 180_000 * (rounds + 1),
  }, async () => {
    await using replicas = await createReplicas({ DRAIN_MS: '60000', INGEST_WAIT_MS: '0' })
    await using balancer = await startLoadBalancer(100)
    let running = [await replicas.start(0), await replicas.start(1)]
    for (const { url } of running) await balancer.add(url)

    const answers: Answered[] = []
    const send = async (path: string, body: object, externalId: string | null = null) => {
      const headers = {
        authorization: `Bearer ${replicaAdmin}`,
        'x-svc-scope': 'rolling/restart',
        'content-type': 'application/json',
      }
      const status = await fetch(`${balancer.url}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      }).then(
        async (response) => {
          const text = await response.text()
          return response.status === 200 ? 200 : `${response.status} ${text}`
        },
        (error: Error) => `${error.message} ${error.cause}`,
      )
      answers.push({ status, externalId, path })
    }
    await fetch(`${balancer.url}/v1/admin/seed`, {
      method: 'POST',
      headers: { authorization: `Bearer ${replicaAdmin}` },
    })
    await send('/v1/ingest', { units: [{ text: 'the first one' }] })
    const ingested = () => answers.flatMap(({ status, externalId }) => (status === 200 ? (externalId ?? []) : []))
    /** However slow this machine is, each stop interrupts something. */
    const progress = async () => {
      const before = ingested().length
      await expect.poll(() => ingested().length).toBeGreaterThan(before + few)
    }
    let stop = false
    const client = async (name: string) => {
      for (let n = 0; !stop; n += 1) {
        const externalId = `${name}-${n}`
        await send('/v1/ingest', { units: [{ external_id: externalId, text: `written by ${name}` }] }, externalId)
        await send('/v1/search', { q: 'written', top_k: 3 })
      }
    }
    const clients = Array.from({ length: 4 }, (_, i) => client(`client-${i}`))

    for (let round = 0; round < rounds; round += 1) {
      for (const number of [0, 1]) {
        const old = running[number]
        if (!old) throw new Error('a replica is missing')
        await progress()
        old.kill('SIGTERM')
        await expect.poll(() => fetch(`${old.url}/readyz`).then(({ status }) => status), { interval: 20 }).toBe(503)
        // A late request is served, and its connection closes after that.
        const late = await fetch(`${old.url}/v1/health`)
        expect({ status: late.status, connection: late.headers.get('connection') }).toEqual({
          status: 200,
          connection: 'close',
        })
        await expect.poll(() => balancer.isOut(old.url)).toBe(true)
        // A second signal ends the drain.
        old.kill('SIGTERM')
        expect(await old.exited).toEqual({ code: 0, signal: null })
        // Requests are logged at level info (30); there must be no higher level.
        const levels = old.stderr
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line).level)
        expect(Math.max(0, ...levels)).toBeLessThanOrEqual(30)
        balancer.remove(old.url)
        const next = await replicas.start(number)
        running = running.with(number, next)
        await balancer.add(next.url)
      }
    }
    stop = true
    await Promise.all(clients)

    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    const written = ingested()
    expect(written.length).toBeGreaterThan(few * 2 * rounds)
    console.log(`rolling restarts: ${JSON.stringify({ rounds, requests: answers.length, ingests: written.length })}`)
    for (const { url } of running) {
      const listed: string[] = []
      for (let cursor: number | null = 0; cursor !== null; ) {
        const headers = { authorization: `Bearer ${replicaAdmin}`, 'x-svc-scope': 'rolling/restart' }
        const response = await fetch(`${url}/v1/units?limit=100&cursor=${cursor}`, { headers })
        const page = (await response.json()) as { units: { external_id?: string }[]; next_cursor: number | null }
        listed.push(...page.units.flatMap(({ external_id: id }) => id ?? []))
        cursor = page.next_cursor
      }
      expect(listed.sort()).toEqual(written.toSorted())
    }
    await expectSoundCatalog(replicas.storage)
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { kills } from '../support/amounts.ts'
import { createStorage } from '../support/database/database.ts'
import { environmentOf, startServerProcess } from '../support/process/server-process.ts'

interface Answer {
  text: string
  replayed: boolean
}

const rounds = kills(1)
const writers = 4

/** A write that adds something with each effect, and what it answered. */
interface Sent {
  path: string
  key: string
  body: string
  answer: Answer | null
}

test(`each write with a key has one effect, over ${rounds} kills`, { timeout: rounds * 200_000 }, async () => {
  const storage = await createStorage()
  const sent: Sent[] = []
  let token = ''
  let base = ''

  const send = async ({ path, key, body }: Sent): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key }
    const response = await fetch(`${base}${path}`, { method: 'POST', headers, body })
    const text = await response.text()
    expect([response.status, text]).toEqual([200, text])
    return { text, replayed: response.headers.get('idempotency-replayed') === 'true' }
  }
  const write = async (round: number, writer: number) => {
    for (let i = 0; ; i++) {
      const key = `r${round}w${writer}n${i}`
      const unit = { text: `Text ${key}.`, scope: 'harbor/backend' }
      const one: Sent =
        i % 3 === 0
          ? { path: '/v1/principals', key, body: JSON.stringify({ name: key }), answer: null }
          : { path: '/v1/ingest', key, body: JSON.stringify({ units: [unit] }), answer: null }
      sent.push(one)
      one.answer = await send(one)
    }
  }

  try {
    for (let round = 0; round < rounds; round++) {
      await using server = await startServerProcess(
        { ...environmentOf(storage), INGEST_WAIT_MS: '0' },
        { timeoutMs: 90_000 },
      )
      base = server.url
      if (round === 0) {
        const seeded = await (await fetch(`${base}/v1/admin/seed`, { method: 'POST' })).json()
        token = (seeded as { tokens: { admin: string } }).tokens.admin
      }
      const writing = Array.from({ length: writers }, (_, i) => write(round, i).catch(() => {}))
      await expect.poll(() => sent.filter((one) => one.answer).length).toBeGreaterThan(round * 4)
      await sleep(200 + Math.random() * 800)
      server.kill('SIGKILL')
      await server.exited
      await Promise.all(writing)
    }
    await using server = await startServerProcess(environmentOf(storage), { timeoutMs: 90_000 })
    base = server.url
    const unanswered = sent.filter((one) => one.answer === null).length
    for (const one of sent) {
      const again = await send(one)
      // Only `indexed` may have become true.
      const stable = (text: string) => text.replace(/,"indexed":(true|false)/, '')
      if (one.answer) expect([stable(again.text), again.replayed]).toEqual([stable(one.answer.text), true])
      one.answer = again
    }
    const get = async (path: string, as = token) =>
      (await (await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${as}` } })).json()) as Listing
    const texts: string[] = []
    for (let cursor: number | null = 0; cursor !== null; ) {
      const page: Listing = await get(`/v1/units?cursor=${cursor}`)
      texts.push(...page.units.map((unit) => unit.text).filter((text) => text?.startsWith('Text r')))
      cursor = page.next_cursor
    }
    const ingested = sent.filter((one) => one.path === '/v1/ingest')
    expect(texts.sort()).toEqual(ingested.map(({ key }) => `Text ${key}.`).sort())
    const made = sent.filter((one) => one.path === '/v1/principals').map(({ answer }) => JSON.parse(`${answer?.text}`))
    const { principals } = await get('/v1/principals')
    const known = new Set(principals.map((one) => one.principal_id))
    expect(made.every(({ principal_id }) => known.has(principal_id))).toBe(true)
    expect(principals.filter((one) => one.principal_id.startsWith('principal'))).toHaveLength(made.length)
    for (const { token: own, principal_id } of made) {
      expect((await get('/v1/context', own)).principal.principal_id).toBe(principal_id)
    }
    console.log(`kill -9 with keys: ${JSON.stringify({ writes: sent.length, unanswered })}`)
  } finally {
    await storage.remove()
  }
})

interface Listing {
  units: { text: string }[]
  next_cursor: number | null
  principals: { principal_id: string }[]
  principal: { principal_id: string }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { kills } from '../support/amounts.ts'
import { createStorage } from '../support/database/database.ts'
import { runSeed } from '../support/process/run-program.ts'
import { environmentOf, startServerProcess } from '../support/process/server-process.ts'

const rounds = kills(1)

interface Seeded {
  tokens: Record<string, string>
}

const postSeed = (url: string) => fetch(`${url}/v1/admin/seed`, { method: 'POST' })

/**
 * Kills the service `afterMs` after the first seed request (null: after its answer), restarts it, returns the state.
 */
async function round(afterMs: number | null): Promise<'open' | 'seeded'> {
  const storage = await createStorage()
  try {
    const env = environmentOf(storage)
    {
      await using server = await startServerProcess(env)
      const answer = postSeed(server.url).catch(() => null)
      await (afterMs === null ? answer : sleep(afterMs))
      server.kill('SIGKILL')
      await server.exited
      await answer
    }
    {
      await using server = await startServerProcess(env)
      const again = await postSeed(server.url)
      if (again.status === 200) {
        await expectWhole(server.url, (await again.json()) as Seeded)
        return 'open'
      }
      expect(again.status).toBe(401)
      server.kill('SIGTERM')
      expect((await server.exited).code).toBe(0)
    }
    // The answer is lost, and the tokens with it.
    const rotated = await runSeed(['--rotate'], env)
    expect(rotated).toMatchObject({ code: 0, stderr: '' })
    await using server = await startServerProcess(env)
    await expectWhole(server.url, JSON.parse(rotated.stdout))
    return 'seeded'
  } finally {
    await storage.remove()
  }
}

/** All seeded data exists, and the five tokens work. */
async function expectWhole(url: string, { tokens }: Seeded): Promise<void> {
  expect(Object.keys(tokens)).toEqual(['admin', 'readonly', 'free', 'pro', 'enterprise'])
  const call = async (path: string, token: string | undefined, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${url}${path}`, { headers, ...sent })
    expect(response.status).toBe(200)
    return response.json()
  }
  for (const token of Object.values(tokens)) await call('/v1/context', token)
  const { units } = (await call('/v1/units?limit=100', tokens.admin)) as { units: object[] }
  const search = (await call('/v1/search', tokens.admin, { q: 'ferry', top_k: 50 })) as { hits: object[] }
  expect([units.length >= 60, search.hits.length > 10]).toEqual([true, true])
  const verified = await call('/v1/audit/verify', tokens.admin)
  expect(verified).toMatchObject({ intact: true })
}

test(`a first seed that is killed leaves nothing or all (${rounds} rounds)`, {
  timeout: 180_000 * (rounds + 1),
}, async () => {
  const outcomes: string[] = []
  // Spread over the duration of a seed, and once after its end.
  for (let i = 0; i < rounds; i += 1) {
    const afterMs = i === rounds - 1 ? null : Math.round(Math.random() * 1_500)
    outcomes.push(`${await round(afterMs)} after ${afterMs === null ? 'its end' : `${afterMs} ms`}`)
  }
  console.log(`kill -9 of the first seed: ${outcomes.join(', ')}`)
  expect(outcomes.at(-1)).toMatch(/^seeded/)
})

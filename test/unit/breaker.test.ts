import { expect, it } from 'vitest'
import { type BreakerOptions, createBreaker } from '../../src/adapters/resilience/breaker.ts'
import { failuresOf, RemoteError } from '../../src/adapters/resilience/remote-error.ts'

const fail = failuresOf('The engine')

function breakerWith(options: Partial<BreakerOptions>) {
  const time = { now: 0 }
  const pauseMs = { first: 100, max: 300 }
  const weights = { timeout: 1, broken: 1, refused: 0 }
  const breaker = createBreaker({ fail, now: () => time.now, weights, threshold: 1, pauseMs, ...options })
  const run = (outcome: Parameters<typeof fail>[0] | 'well') =>
    breaker.run(() => (outcome === 'well' ? Promise.resolve(outcome) : Promise.reject(fail(outcome, 'failed'))))
  const outcomeOf = (outcome: Parameters<typeof run>[0]) =>
    run(outcome).catch((error: unknown) => (error instanceof RemoteError ? error.code : error))
  return { time, breaker, outcomeOf }
}

it('doubles its pause with each opening in a row, up to a maximum, and begins again after a success', async () => {
  const { time, outcomeOf } = breakerWith({})
  for (const pause of [100, 200, 300, 300]) {
    expect(await outcomeOf('broken')).toBe('broken')
    time.now += pause - 1
    expect(await outcomeOf('well')).toBe('paused')
    time.now += 1
  }
  expect(await outcomeOf('well')).toBe('well')
  await outcomeOf('broken')
  time.now += 100
  expect(await outcomeOf('well')).toBe('well')
})

it('weighs failures: some open it at once, some end the row, some say nothing', async () => {
  const { breaker, outcomeOf } = breakerWith({ threshold: 3, weights: { timeout: 3, broken: 1, refused: 0 } })
  for (const outcome of ['broken', 'broken', 'refused', 'broken', 'conflict', 'broken'] as const)
    await outcomeOf(outcome)
  expect(breaker.isOpen()).toBe(false)
  await outcomeOf('broken')
  expect(breaker.isOpen()).toBe(true)
  const other = breakerWith({ threshold: 3, weights: { timeout: 3 } })
  await other.outcomeOf('timeout')
  expect(other.breaker.isOpen()).toBe(true)
})

it('ignores a timeout of a call that had no time, and what began before it opened', async () => {
  const { time, breaker, outcomeOf } = breakerWith({ minTimeoutMs: 50 })
  await outcomeOf('timeout')
  expect(breaker.isOpen()).toBe(false)
  const slow = Promise.withResolvers<string>()
  const underWay = breaker.run(() => slow.promise)
  await outcomeOf('broken')
  slow.resolve('late')
  expect(await underWay).toBe('late')
  expect(breaker.isOpen()).toBe(true)
  time.now += 100
  expect(await outcomeOf('well')).toBe('well')
})

it('tries with the probe where one is given, and makes the call once the service answers in any way', async () => {
  const { time, breaker, outcomeOf } = breakerWith({})
  await outcomeOf('broken')
  time.now += 100
  const calls: string[] = []
  const call = async () => calls.push('call')
  const probe = (error: RemoteError) => async () => {
    calls.push('probe')
    throw error
  }
  await expect(breaker.run(call, probe(fail('broken', 'failed')))).rejects.toMatchObject({ code: 'broken' })
  time.now += 200
  await breaker.run(call, probe(fail('refused', 'failed')))
  expect(calls).toEqual(['probe', 'probe', 'call'])
})

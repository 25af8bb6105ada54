import { describe, expect, it } from 'vitest'
import { createGuard, failuresToPause, pauseMs, retries } from '../../src/adapters/inference-remote/calls/guard.ts'
import { RemoteError } from '../../src/adapters/resilience/remote-error.ts'
import { delayBefore, retryAfterMs } from '../../src/adapters/resilience/retries.ts'
import { createLimiter } from '../../src/async/limits.ts'

/** A clock that only the test moves; sleepers wake in order. */
function createTime() {
  let now = 0
  const sleepers = new Set<{ at: number; wake: () => void }>()
  const slept: number[] = []
  const settle = async () => {
    for (let i = 0; i < 20; i += 1) await Promise.resolve()
  }
  return {
    slept,
    timing: {
      now: () => now,
      random: () => 0.5,
      sleep: (ms: number, signal: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          slept.push(ms)
          const sleeper = { at: now + ms, wake: resolve }
          sleepers.add(sleeper)
          signal.addEventListener('abort', () => {
            sleepers.delete(sleeper)
            reject(signal.reason)
          })
        }),
    },
    advance: async (ms: number) => {
      const end = now + ms
      await settle()
      for (;;) {
        const [next] = [...sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (!next) break
        now = Math.max(now, next.at)
        sleepers.delete(next)
        next.wake()
        await settle()
      }
      now = end
      await settle()
    },
  }
}

const timeoutMs = 10_000
const guarded = (concurrency = 8) => {
  const time = createTime()
  const guard = createGuard({ name: 'm', timeoutMs, limiter: createLimiter({ max: concurrency }), timing: time.timing })
  return { ...time, guard }
}
const options = { urgent: false }
const fails = (code: 'busy' | 'broken' | 'unreachable' | 'refused' | 'malformed', retryAfter: number | null = null) =>
  new RemoteError(code, 'answered', { retryAfterMs: retryAfter })
/** Settles a result, so that no rejection is unhandled while the clock moves. */
const outcome = (promise: Promise<unknown>) =>
  promise.then(
    (value) => value,
    (error) => (error instanceof RemoteError ? error.code : error),
  )

describe('retries', () => {
  it('wait a random part of a time that doubles, or as long as the provider asks', () => {
    expect(delayBefore(retries, 0, fails('broken'), 0.5)).toBe(200)
    expect(delayBefore(retries, 1, fails('broken'), 0.5)).toBe(400)
    expect(delayBefore(retries, 0, fails('broken'), 0)).toBe(0)
    expect(delayBefore(retries, 0, fails('busy', 3000), 0.5)).toBe(3000)
    expect(delayBefore(retries, retries.max, fails('busy', 3000), 0.5)).toBeNull()
    for (const code of ['refused', 'malformed'] as const) expect(delayBefore(retries, 0, fails(code), 0.5)).toBeNull()
  })

  it('read seconds and dates', () => {
    const now = Date.UTC(2026, 0, 1)
    expect(retryAfterMs('2', now)).toBe(2000)
    expect(retryAfterMs(new Date(now + 5000).toUTCString(), now)).toBe(5000)
    expect(retryAfterMs(new Date(now - 5000).toUTCString(), now)).toBe(0)
    for (const nonsense of [null, '', 'soon', '-1']) expect(retryAfterMs(nonsense, now) ?? 0).toBe(0)
  })

  it('go on until the provider answers', async () => {
    const { guard, advance, slept } = guarded()
    const tries = [fails('broken'), fails('unreachable'), null]
    const result = outcome(
      guard.run(async () => {
        const failure = tries.shift()
        if (failure) throw failure
        return 'answer'
      }, options),
    )
    await advance(700)
    expect(await result).toBe('answer')
    expect(slept).toEqual([timeoutMs, 200, 400])
  })

  it('are not made where the provider asks for more time than there is', async () => {
    const { guard, advance } = guarded()
    let tries = 0
    const result = outcome(
      guard.run(async () => {
        tries += 1
        throw fails('busy', timeoutMs)
      }, options),
    )
    await advance(1)
    expect(await result).toBe('busy')
    expect(tries).toBe(1)
  })
})

describe('the time of a call', () => {
  it('holds for all tries together, and aborts what is under way', async () => {
    const { guard, advance } = guarded()
    const signals: AbortSignal[] = []
    const result = outcome(
      guard.run(async (signal) => {
        signals.push(signal)
        if (signals.length === 1) throw fails('broken')
        return new Promise(() => {})
      }, options),
    )
    await advance(timeoutMs - 1)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    await advance(1)
    expect(await result).toBe('timeout')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  it('ends with the caller’s, which asks for nothing when it is over', async () => {
    const { guard, advance } = guarded()
    const caller = new AbortController()
    const result = outcome(guard.run(() => new Promise(() => {}), { ...options, signal: caller.signal }))
    await advance(10)
    caller.abort()
    expect(await result).toBe('timeout')
    let tries = 0
    const late = guard.run(async () => tries++, { ...options, signal: caller.signal })
    expect(await outcome(late)).toBe('timeout')
    expect(tries).toBe(0)
  })
})

describe('the line', () => {
  it('lets in a fixed number at once, the urgent ones first', async () => {
    const { guard, advance } = guarded(2)
    const begun: string[] = []
    const doors: (() => void)[] = []
    const call = (name: string, urgent: boolean) =>
      guard.run(
        () =>
          new Promise<void>((resolve) => {
            begun.push(name)
            doors.push(resolve)
          }),
        { urgent },
      )
    const calls = [call('a', false), call('b', false), call('c', false), call('query', true)]
    await advance(1)
    expect(begun).toEqual(['a', 'b'])
    doors.shift()?.()
    await advance(1)
    expect(begun).toEqual(['a', 'b', 'query'])
    for (let i = 0; i < 3; i += 1) {
      for (const open of doors.splice(0)) open()
      await advance(1)
    }
    await Promise.all(calls)
    expect(begun).toEqual(['a', 'b', 'query', 'c'])
  })

  it('is left by whose time is over, and the place is free for the next', async () => {
    const { guard, advance } = guarded(1)
    const first = outcome(
      guard.run((signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)), options),
    )
    await advance(1)
    const caller = new AbortController()
    const waiting = outcome(guard.run(async () => 'in', { ...options, signal: caller.signal }))
    await advance(1)
    caller.abort()
    expect(await waiting).toBe('timeout')
    await advance(timeoutMs)
    expect(await first).toBe('timeout')
    expect(await outcome(guard.run(async () => 'in', options))).toBe('in')
  })
})

describe('the breaker', () => {
  async function opened() {
    const guard = guarded()
    for (let i = 0; i < failuresToPause; i += 1) {
      expect(guard.guard.isFailing()).toBe(false)
      await outcome(guard.guard.run(() => Promise.reject(fails('malformed')), options))
    }
    return guard
  }

  it('pauses a provider that fails again and again; then one call tries it', async () => {
    const { guard, advance } = await opened()
    expect(guard.isFailing()).toBe(true)
    let tries = 0
    const probe = () =>
      guard.run(async () => {
        tries += 1
        throw fails('malformed')
      }, options)
    expect(await outcome(probe())).toBe('paused')
    await advance(pauseMs)
    expect(await Promise.all([outcome(probe()), outcome(probe())])).toEqual(['malformed', 'paused'])
    expect(await outcome(probe())).toBe('paused')
    expect(tries).toBe(1)
    await advance(pauseMs)
    expect(await outcome(guard.run(async () => 'well', options))).toBe('well')
    expect(guard.isFailing()).toBe(false)
    expect(await Promise.all([1, 2].map(() => outcome(guard.run(async () => 'well', options))))).toEqual([
      'well',
      'well',
    ])
  })

  it('counts failures in a row, and neither refusals nor calls that got no time', async () => {
    const { guard, advance } = guarded()
    const call = (failure: RemoteError | null) =>
      outcome(guard.run(() => (failure ? Promise.reject(failure) : Promise.resolve('well')), options))
    for (let i = 0; i < 3 * failuresToPause; i += 1) {
      await call(i % failuresToPause === 0 ? null : fails('malformed'))
      await call(i % 2 === 0 ? fails('refused') : null)
      const caller = new AbortController()
      const cut = outcome(guard.run(() => new Promise(() => {}), { ...options, signal: caller.signal }))
      await advance(timeoutMs / 20)
      caller.abort()
      expect(await cut).toBe('timeout')
    }
    expect(guard.isFailing()).toBe(false)
  })

  it('counts a provider that hangs', async () => {
    const { guard, advance } = guarded()
    for (let i = 0; i < failuresToPause; i += 1) {
      const hanging = outcome(guard.run(() => new Promise(() => {}), options))
      await advance(timeoutMs)
      expect(await hanging).toBe('timeout')
    }
    expect(guard.isFailing()).toBe(true)
  })
})

it('an error tells the model and nothing of what an attempt threw', async () => {
  const { guard } = guarded()
  const error = await guard
    .run(() => Promise.reject(new Error('secret text of a request')), options)
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'RemoteError', code: 'malformed', message: 'm: answered in no known shape' })
  expect(error).not.toHaveProperty('cause')
})

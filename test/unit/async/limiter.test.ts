import { setImmediate as settled, setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writersAtOnce } from '../../../src/adapters/catalog/connection/server/open-server.ts'
import { createLimiter, type Leave } from '../../../src/async/limits.ts'

/** Work that the test ends. */
function manual() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { work: () => promise, resolve, reject }
}

const full = () => new Error('full')
const late = () => new Error('late')
const max = 4
const maxLine = 3

type Step = { kind: 'enter'; key: string; weight: number; urgent: boolean } | { kind: 'leave' | 'abort'; which: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('enter' as const),
    key: fc.constantFrom('a', 'b'),
    weight: fc.constantFrom(0.1, 0.3, 1, 2, 4, 9),
    urgent: fc.boolean(),
  }),
  fc.record({ kind: fc.constantFrom('leave' as const, 'abort' as const), which: fc.nat(20) }),
)

/** One that entered: as the limiter treats it, and as the model expects. */
interface Visit {
  key: string
  weight: number
  urgent: boolean
  over: AbortController
  leave: Leave | null
  refusal: unknown
  state: 'waiting' | 'running' | 'over'
}

/** What a limiter has to do, by looking at all visits in their order. */
class Model {
  readonly visits: Visit[] = []

  of(key: string, state: Visit['state']): Visit[] {
    return this.visits.filter((visit) => visit.key === key && visit.state === state)
  }

  weight(key: string): number {
    return this.of(key, 'running').reduce((sum, { weight }) => sum + weight, 0)
  }

  /** Who is next: the first urgent one, else the first. */
  next(key: string): Visit | undefined {
    const waiting = this.of(key, 'waiting')
    return waiting.find(({ urgent }) => urgent) ?? waiting[0]
  }

  hasRoom(key: string): boolean {
    const next = this.next(key)
    // Sums of these fractions differ in the last digits.
    return next !== undefined && this.weight(key) + next.weight <= max + 1e-9
  }

  admit(key: string): void {
    for (let next = this.next(key); next && this.hasRoom(key); next = this.next(key)) next.state = 'running'
  }
}

describe('the limiter', () => {
  it('admits in order, urgent work first, never above the limit, and leaves no room unused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const limiter = createLimiter({ max, line: { max: maxLine, full } })
        const model = new Model()
        for (const one of steps) {
          if (one.kind === 'enter') {
            const visit: Visit = {
              ...one,
              weight: Math.min(one.weight, max),
              over: new AbortController(),
              leave: null,
              refusal: null,
              state: 'waiting',
            }
            const waitingBefore = model.of(one.key, 'waiting').length
            model.visits.push(visit)
            model.admit(one.key)
            const isFull = visit.state === 'waiting' && waitingBefore >= maxLine
            if (isFull) visit.state = 'over'
            limiter.enter({ key: one.key, weight: one.weight, urgent: one.urgent, signal: visit.over.signal }).then(
              (leave) => {
                visit.leave = leave
              },
              (error: unknown) => {
                visit.refusal = error
              },
            )
            await settled()
            expect(visit.refusal).toEqual(isFull ? full() : null)
          } else {
            const state = one.kind === 'leave' ? 'running' : 'waiting'
            const visits = model.visits.filter((visit) => visit.state === state)
            const visit = visits[one.which % visits.length]
            if (!visit) continue
            visit.state = 'over'
            model.admit(visit.key)
            if (one.kind === 'leave') {
              visit.leave?.()
              visit.leave?.()
            } else visit.over.abort('gone')
            await settled()
            if (one.kind === 'abort') expect(visit.refusal).toBe('gone')
          }
          for (const visit of model.visits) {
            if (visit.state !== 'over') expect(visit.leave !== null).toBe(visit.state === 'running')
            // Who runs is not taken back, and who has left cannot be refused.
            else if (visit.leave) visit.over.abort('late')
          }
          for (const key of ['a', 'b']) expect(model.weight(key)).toBeLessThanOrEqual(max + 1e-9)
        }
        // Everyone leaves: all that wait are admitted, and the limiter is as new.
        for (let rest = 1; rest > 0; ) {
          const running = model.visits.filter(({ state }) => state === 'running')
          for (const visit of running) {
            visit.state = 'over'
            visit.leave?.()
          }
          for (const key of ['a', 'b']) model.admit(key)
          await settled()
          rest = running.length
        }
        expect(model.visits.filter(({ state }) => state !== 'over')).toEqual([])
        for (const key of ['a', 'b']) {
          const order: string[] = []
          const work = limiter.run({ key, weight: max }, async () => order.push('run'))
          expect(order).toEqual(['run'])
          await work
        }
      }),
    )
  })

  it('begins at once if there is room; keys do not wait for each other', async () => {
    const limiter = createLimiter({ max: 2 })
    const log: string[] = []
    const work = (key: string, name: string) =>
      limiter.run({ key }, async () => {
        log.push(name)
        await sleep(5)
        return name
      })
    const ofA = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => work('a', name))
    const ofB = work('b', 'b1')
    // Starts immediately, before the waiting work of `a`.
    expect(log).toEqual(['a1', 'a2', 'b1'])
    expect(await Promise.all([...ofA, ofB])).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1'])
    expect(log).toEqual(['a1', 'a2', 'b1', 'a3', 'a4', 'a5'])
  })

  it('keeps the order of light and heavy work, and runs what is heavier than its limit', async () => {
    const limiter = createLimiter({ max: 4 })
    const begun: string[] = []
    const jobs = [1, 2, 100, 1].map((weight, i) => {
      const job = manual()
      const done = limiter.run({ key: 'a', weight }, () => {
        begun.push(`${i}`)
        return job.work()
      })
      return { ...job, done }
    })
    await settled()
    expect(begun).toEqual(['0', '1'])
    jobs[0]?.resolve('ok')
    await settled()
    // Lighter work must not overtake heavier work, which would then never run.
    expect(begun).toEqual(['0', '1'])
    jobs[1]?.resolve('ok')
    await settled()
    expect(begun).toEqual(['0', '1', '2'])
    jobs[2]?.reject(new Error('failed'))
    await expect(jobs[2]?.done).rejects.toThrow('failed')
    await settled()
    expect(begun).toEqual(['0', '1', '2', '3'])
    jobs[3]?.resolve('ok')
    expect(await jobs[3]?.done).toBe('ok')
  })

  it('passes the turn of work that fails on, also of work that throws at once', async () => {
    const limiter = createLimiter({ max: 1 })
    const failing = limiter.run({}, () => Promise.reject(new Error('failed')))
    const throwing = limiter.run({}, () => {
      throw new Error('thrown')
    })
    const next = limiter.run({}, async () => 'done')
    await expect(failing).rejects.toThrow('failed')
    await expect(throwing).rejects.toThrow('thrown')
    expect(await next).toBe('done')
    expect(await limiter.run({}, async () => 'again')).toBe('again')
  })

  it('refuses a wait that is too long; what waits behind it begins', async () => {
    const limiter = createLimiter({ max: 2, wait: { ms: 20, late } })
    const first = manual()
    const running = limiter.run({ weight: 1 }, first.work)
    const heavy = limiter.run({ weight: 2 }, async () => 'heavy')
    const light = limiter.run({ weight: 1 }, async () => 'light')
    await expect(heavy).rejects.toThrow('late')
    expect(await light).toBe('light')
    first.resolve('first')
    expect(await running).toBe('first')
    expect(await limiter.run({ weight: 2 }, async () => 'heavy')).toBe('heavy')
  })

  it('refuses a signal that has aborted, and no work that it admitted', async () => {
    const limiter = createLimiter({ max: 1 })
    const over = AbortSignal.abort(new Error('gone'))
    await expect(limiter.enter({ signal: over })).rejects.toThrow('gone')
    const late = new AbortController()
    const leave = await limiter.enter({ signal: late.signal })
    late.abort()
    const next = limiter.enter()
    leave()
    await next
  })

  it('refuses more writers of a server than may wait', async () => {
    const limiter = createLimiter(writersAtOnce(1))
    const first = Promise.withResolvers<void>()
    const waiting = [first.promise, ...Array.from({ length: 1000 }, () => Promise.resolve())].map((done) =>
      limiter.run({ key: 'a' }, () => done),
    )
    await expect(limiter.run({ key: 'a' }, async () => {})).rejects.toThrow('1000 writers wait already')
    first.resolve()
    await Promise.all(waiting)
  })
})

import { execFile, fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { createWorkerPool, type Ending, WorkerHost } from '../../../src/async/worker-host.ts'
import type { EchoCalls } from '../../support/async/echo.ts'

const echo = new URL('../../support/async/echo.ts', import.meta.url)

const starts = {
  'a thread': () => new Worker(echo, { stderr: true }),
  'a process': () => fork(echo, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }),
}

const failureOf = ({ error, code, signal }: Ending) =>
  error ?? new Error(signal ? `ended by ${signal}` : `ended with ${code}`)

const hosts = new Set<WorkerHost<EchoCalls>>()
function hostOf(start: () => ConstructorParameters<typeof WorkerHost<EchoCalls>>[0], onEnd?: (error: unknown) => void) {
  const host = new WorkerHost<EchoCalls>(start(), { failureOf, ...(onEnd && { onEnd }) })
  hosts.add(host)
  return host
}

afterEach(async () => {
  await Promise.all([...hosts].map((host) => host.end()))
  hosts.clear()
})

describe.each(Object.entries(starts))('%s that answers calls', (_, start) => {
  it('answers each call with its own result, in any order', async () => {
    const host = hostOf(start)
    expect([host.isReady, host.load]).toEqual([false, 0])
    const order: string[] = []
    const note = (text: string) => order.push(text)
    await Promise.all([
      host.call('later', { text: 'slow', ms: 100 }).then(note),
      host.call('later', { text: 'quick', ms: 10 }).then(note),
      host.call('echo', 'at once').then(note),
      expect(host.call('refuse', 'no')).rejects.toThrow('no'),
    ])
    expect(order).toEqual(['at once', 'quick', 'slow'])
    expect([host.isReady, host.hasEnded, host.load]).toEqual([true, false, 0])
  })

  it('gets the calls of one turn of the event loop in one message', async () => {
    const host = hostOf(start)
    await Promise.all(['a', 'b', 'c'].map((text) => host.call('echo', text)))
    expect(await host.call('messages', null)).toBe(1)
    await host.call('echo', 'd')
    expect(await host.call('messages', null)).toBe(2)
  })

  it('fails all its calls when it ends by itself, and those that come later', async () => {
    const ended = Promise.withResolvers<unknown>()
    const host = hostOf(start, ended.resolve)
    await host.call('echo', 'a')
    const waiting = host.call('later', { text: 'never', ms: 60_000 })
    await expect(host.call('exit', 3)).rejects.toThrow('ended with 3')
    await expect(waiting).rejects.toThrow('ended with 3')
    expect([host.hasEnded, host.load]).toEqual([true, 0])
    expect(await ended.promise).toMatchObject({ message: 'ended with 3' })
    await expect(host.call('echo', 'b')).rejects.toThrow('ended with 3')
  })

  it('can be ended with a reason, once and for all', async () => {
    const host = hostOf(start)
    const waiting = host.call('later', { text: 'never', ms: 60_000 })
    const failed = expect(waiting).rejects.toThrow('too slow')
    await Promise.all([host.end(new Error('too slow')), host.end(new Error('later')), failed])
    await expect(host.call('echo', 'a')).rejects.toThrow('too slow')
  })
})

it('a thread fails with what crashed it, or with what it says before it ends', async () => {
  const crashing = hostOf(starts['a thread'])
  await expect(crashing.call('crash', 'a defect')).rejects.toThrow('a defect')
  const ending = hostOf(starts['a thread'])
  await expect(ending.call('give', 'its last words')).rejects.toThrow('its last words')
  await ending.ended()
})

it('an idle thread or process does not keep the process alive', async () => {
  const leave = fileURLToPath(new URL('../../support/async/leave.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [leave])
  expect(stdout).toBe('answered answered ')
})

describe('a pool of workers', () => {
  const pools = new Set<{ close(reason: Error): Promise<void> }>()
  const poolOf = (max: number, idleMs?: number) => {
    const started: WorkerHost<EchoCalls>[] = []
    const start = () => {
      const host = hostOf(starts['a thread'])
      started.push(host)
      return host
    }
    const pool = createWorkerPool<EchoCalls>({ max, start, ...(idleMs !== undefined && { idleMs }) })
    pools.add(pool)
    const later = (text: string, ms: number, signal?: AbortSignal) =>
      pool.use((host) => host.call('later', { text, ms }), signal)
    return { pool, started, later }
  }
  afterEach(async () => {
    await Promise.all([...pools].map((pool) => pool.close(new Error('over'))))
    pools.clear()
  })

  it('starts workers on use, up to its maximum, each for one user at a time, and uses them again', async () => {
    const { started, later } = poolOf(2)
    expect(started).toEqual([])
    await later('a', 1)
    await later('b', 1)
    expect(started.length).toBe(1)
    const loads: number[] = []
    const all = Promise.all(Array.from({ length: 6 }, (_, i) => later(`${i}`, 20)))
    const timer = setInterval(() => loads.push(...started.map(({ load }) => load)), 5)
    expect(await all).toEqual(['0', '1', '2', '3', '4', '5'])
    clearInterval(timer)
    expect([started.length, Math.max(...loads)]).toEqual([2, 1])
  })

  it('replaces a worker that has ended on the next use', async () => {
    const { pool, started, later } = poolOf(1)
    await expect(pool.use((host) => host.call('exit', 4))).rejects.toThrow('ended with 4')
    expect(await later('a', 1)).toBe('a')
    await started[1]?.end()
    expect(await later('b', 1)).toBe('b')
    expect(started.length).toBe(3)
  })

  it('ends a worker that has had nothing to do for a while', async () => {
    const { started, later } = poolOf(2, 30)
    await later('a', 1)
    await expect.poll(() => started[0]?.hasEnded).toBe(true)
    expect(await later('b', 1)).toBe('b')
    expect(started.length).toBe(2)
  })

  it('lets no aborted wait take a worker, and refuses all when it is closed', async () => {
    const { pool, started, later } = poolOf(1)
    const running = later('a', 60_000)
    const over = new AbortController()
    const aborted = later('b', 1, over.signal)
    const waiting = later('c', 1)
    over.abort(new Error('gone'))
    await expect(aborted).rejects.toThrow('gone')
    await sleep(50)
    const refused = Promise.all([running, waiting].map((work) => expect(work).rejects.toThrow('the service stops')))
    await Promise.all([pool.close(new Error('the service stops')), refused])
    await expect(later('d', 1)).rejects.toThrow('the service stops')
    expect([started.length, started[0]?.hasEnded]).toEqual([1, true])
  })
})

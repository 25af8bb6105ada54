import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns } from '../../src/adapters/catalog/connection/server/turns.ts'

test('runs at most N of one key at once, in order, and those of another key beside them', async () => {
  const inTurn = createTurns(2)
  const log: string[] = []
  const running = new Map<string, number>()
  let max = 0
  const work = (key: string, name: string) =>
    inTurn(key, async () => {
      running.set(key, (running.get(key) ?? 0) + 1)
      max = Math.max(max, running.get(key) ?? 0)
      log.push(name)
      await sleep(5)
      running.set(key, (running.get(key) ?? 0) - 1)
      return name
    })
  const ofA = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => work('a', name))
  const ofB = work('b', 'b1')
  // Starts immediately, before the waiting work of `a`.
  expect(log).toEqual(['a1', 'a2', 'b1'])
  expect(await Promise.all([...ofA, ofB])).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1'])
  expect(log).toEqual(['a1', 'a2', 'b1', 'a3', 'a4', 'a5'])
  expect(max).toBe(2)
})

test('what fails passes its turn on', async () => {
  const inTurn = createTurns(1)
  const failing = inTurn('a', () => Promise.reject(new Error('failed')))
  const next = inTurn('a', async () => 'done')
  await expect(failing).rejects.toThrow('failed')
  expect(await next).toBe('done')
  expect(await inTurn('a', async () => 'again')).toBe('again')
})

test('refuses more than may wait', async () => {
  const inTurn = createTurns(1)
  const first = Promise.withResolvers<void>()
  const waiting = [first.promise, ...Array.from({ length: 1000 }, () => Promise.resolve())].map((done) =>
    inTurn('a', () => done),
  )
  await expect(inTurn('a', async () => {})).rejects.toThrow('1000 writers wait already')
  first.resolve()
  await Promise.all(waiting)
})

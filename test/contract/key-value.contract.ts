import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { KeyValue } from '../../src/ports/stores/key-value.ts'

/** The contract of the key-value port, for every engine. */
export function keyValueContract(name: string, create: () => Promise<KeyValue>): void {
  const minute = 60_000

  async function using(work: (kv: KeyValue) => Promise<void>): Promise<void> {
    const kv = await create()
    try {
      await work(kv)
    } finally {
      await kv.close()
    }
  }

  /** What `work` resolves to when it took less than `ms`: a machine that was busy meanwhile shows nothing. */
  async function withinMs<T>(ms: number, work: () => Promise<T>): Promise<T> {
    const started = performance.now()
    const result = await work()
    return performance.now() - started < ms ? result : withinMs(ms, work)
  }

  describe(`key-value: ${name}`, () => {
    it('keeps values by key, empty and odd ones too', () =>
      using(async (kv) => {
        await kv.ping()
        const values = ['', '0', 'null', '{"a":1}', 'é🙂\n\0', 'x'.repeat(100_000)]
        for (const [i, value] of values.entries()) await kv.set(`k:${i}`, value, minute)
        for (const [i, value] of values.entries()) expect(await kv.get(`k:${i}`)).toBe(value)
        expect(await kv.get('k')).toBeNull()
      }))

    it('keeps keys apart that look alike or special', () =>
      using(async (kv) => {
        const keys = ['a', 'A', 'a ', 'a:b', 'a/b', '../a', '__proto__', 'constructor']
        for (const key of keys) await kv.set(key, `value of ${key}`, minute)
        for (const key of keys) expect(await kv.get(key)).toBe(`value of ${key}`)
        expect(await kv.get('toString')).toBeNull()
      }))

    it('replaces, value and ttl', () =>
      using(async (kv) => {
        await kv.set('k', 'old', 30)
        await kv.set('k', 'new', minute)
        await sleep(60)
        expect(await kv.get('k')).toBe('new')
      }))

    it('forgets after the ttl, and at once when it is not positive', () =>
      using(async (kv) => {
        await kv.set('lasting', 'x', minute)
        await kv.set('none', 'before', minute)
        await kv.set('none', 'x', 0)
        expect(await kv.get('none')).toBeNull()
        const brief = () => kv.set('brief', 'x', 200).then(() => kv.get('brief'))
        expect(await withinMs(200, brief)).toBe('x')
        await sleep(250)
        expect(await kv.get('brief')).toBeNull()
        expect(await kv.get('lasting')).toBe('x')
      }))

    it('deletes, and does nothing when there is nothing', () =>
      using(async (kv) => {
        await kv.set('k', 'x', minute)
        await kv.delete('k')
        await kv.delete('k')
        expect(await kv.get('k')).toBeNull()
      }))

    it('counts, exactly when all come at once, until the ttl of the first is over', () =>
      using(async (kv) => {
        const counts = await Promise.all(Array.from({ length: 50 }, () => kv.increment('n', minute)))
        expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1))
        expect(await kv.increment('m', minute)).toBe(1)
        const twice = async () => {
          await kv.delete('brief')
          return [await kv.increment('brief', 300), await kv.increment('brief', minute)]
        }
        expect(await withinMs(300, twice)).toEqual([1, 2])
        await sleep(350)
        expect(await kv.increment('brief', minute)).toBe(1)
        await kv.delete('n')
        expect(await kv.increment('n', minute)).toBe(1)
      }))

    it('does not count what is not a number', () =>
      using(async (kv) => {
        await kv.set('k', 'one', minute)
        await expect(kv.increment('k', minute)).rejects.toThrow()
        expect(await kv.get('k')).toBe('one')
      }))
  })
}

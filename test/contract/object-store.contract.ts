import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { ObjectStore } from '../../src/ports/stores/object-store.ts'

/** The contract of the object store port, for every engine. */
export function objectStoreContract(name: string, create: () => Promise<ObjectStore>): void {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const text = (stored: Uint8Array | null) => stored && new TextDecoder().decode(stored)

  async function* chunksOf(...parts: string[]) {
    for (const part of parts) {
      await new Promise(setImmediate)
      yield bytes(part)
    }
  }

  describe(`object store: ${name}`, () => {
    it('keeps bytes by key', async () => {
      const store = await create()
      await store.ping()
      const all = Uint8Array.from({ length: 256 }, (_, i) => i)
      await store.put('ns_1/src_A-1', all)
      expect(Uint8Array.from((await store.get('ns_1/src_A-1')) ?? [])).toEqual(all)
      expect(await store.get('ns_1/src_A-2')).toBeNull()
      expect(await store.get('ns_1')).toBeNull()
      expect(await store.get('ns_1/src_A-1/more')).toBeNull()
    })

    it('keeps empty and large objects', async () => {
      const store = await create()
      const large = new Uint8Array(3_000_000).fill(7)
      await store.put('empty', new Uint8Array())
      await store.put('large', large)
      expect((await store.get('empty'))?.length).toBe(0)
      expect(Buffer.compare((await store.get('large')) ?? Buffer.of(), large)).toBe(0)
    })

    it('replaces, also by something shorter', async () => {
      const store = await create()
      await store.put('k', bytes('something long'))
      await store.put('k', bytes('short'))
      expect(text(await store.get('k'))).toBe('short')
    })

    it('leaves one whole object behind when several are put at once', async () => {
      const store = await create()
      const bodies = Array.from({ length: 10 }, (_, i) => `${i}`.repeat(50_000))
      await Promise.all(bodies.map((body) => store.put('deep/er/k', bytes(body))))
      expect(bodies).toContain(text(await store.get('deep/er/k')))
    })

    it('lets a key be the beginning of another', async () => {
      const store = await create()
      await store.put('a', bytes('one'))
      await store.put('a/b', bytes('two'))
      await store.delete('a')
      expect(await store.get('a')).toBeNull()
      expect(text(await store.get('a/b'))).toBe('two')
    })

    describe('in chunks', () => {
      const textOf = async (opened: { stream: AsyncIterable<Uint8Array> } | null) =>
        opened && (await buffer(opened.stream)).toString()

      it('keeps bytes, also none and many', async () => {
        const store = await create()
        await store.putStream('ns/k', chunksOf('a', 'bc', '', 'def'), 6)
        expect(text(await store.get('ns/k'))).toBe('abcdef')
        const opened = await store.open('ns/k')
        expect(opened?.bytes).toBe(6)
        expect(await textOf(opened)).toBe('abcdef')
        await store.putStream('empty', chunksOf(), 0)
        expect((await store.open('empty'))?.bytes).toBe(0)
        expect(await textOf(await store.open('empty'))).toBe('')
        const parts = Array.from({ length: 150 }, (_, i) => `${i % 10}`.repeat(65_536))
        await store.putStream('large', chunksOf(...parts), 150 * 65_536)
        expect(await textOf(await store.open('large'))).toBe(parts.join(''))
      })

      it('reads a range', async () => {
        const store = await create()
        await store.put('k', bytes('0123456789'))
        const range = async (start: number, end: number) => textOf(await store.open('k', { start, end }))
        expect([await range(0, 0), await range(3, 6), await range(9, 9), await range(0, 9)]).toEqual([
          '0',
          '3456',
          '9',
          '0123456789',
        ])
        expect((await store.open('k', { start: 2, end: 3 }))?.bytes).toBe(10)
        expect(await store.open('never/was', { start: 0, end: 1 })).toBeNull()
        expect(await store.open('never/was')).toBeNull()
      })

      it('keeps nothing, and what was there before, when the chunks fail or are too few or too many', async () => {
        const store = await create()
        await store.put('k', bytes('before'))
        async function* broken() {
          yield bytes('half')
          throw new Error('the sender is gone')
        }
        for (const key of ['k', 'new']) {
          await expect(store.putStream(key, broken(), 8)).rejects.toThrow('the sender is gone')
          await expect(store.putStream(key, chunksOf('half'), 8)).rejects.toThrow()
          await expect(store.putStream(key, chunksOf('half', 'and', 'more'), 8)).rejects.toThrow()
        }
        expect(text(await store.get('k'))).toBe('before')
        expect(await store.get('new')).toBeNull()
      })

      it('holds nothing open for bytes that nobody reads, and lets a reader stop', async () => {
        const store = await create()
        await store.put('k', new Uint8Array(10_000_000))
        for (let i = 0; i < 50; i += 1) await store.open('k')
        for await (const chunk of (await store.open('k'))?.stream ?? []) {
          expect(chunk.byteLength).toBeGreaterThan(0)
          break
        }
        await store.delete('k')
        expect(await store.open('k')).toBeNull()
      })
    })

    it('deletes, and does nothing when there is nothing', async () => {
      const store = await create()
      await store.put('k', bytes('x'))
      await store.delete('k')
      await store.delete('k')
      await store.delete('never/was')
      expect(await store.get('k')).toBeNull()
    })

    const badKeys = ['', '.', '..', '../k', 'a/../../k', '/k', 'k/', 'a//k', 'a\\k', 'a\0k', 'k.txt', 'ké', '~', 'k\n']
    for (const key of badKeys) {
      it(`refuses the key ${JSON.stringify(key)}`, async () => {
        const store = await create()
        await expect(store.put(key, bytes('x'))).rejects.toThrow()
        await expect(store.get(key)).rejects.toThrow()
        await expect((async () => store.open(key))()).rejects.toThrow()
        await expect((async () => store.putStream(key, chunksOf('x'), 1))()).rejects.toThrow()
        await expect(store.delete(key)).rejects.toThrow()
      })
    }
  })
}

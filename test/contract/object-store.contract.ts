import { describe, expect, it } from 'vitest'
import type { ObjectStore } from '../../src/ports/stores/object-store.ts'

/** The contract of the object store port, for every engine. */
export function objectStoreContract(name: string, create: () => Promise<ObjectStore>): void {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const text = (stored: Uint8Array | null) => stored && new TextDecoder().decode(stored)

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
        await expect(store.delete(key)).rejects.toThrow()
      })
    }
  })
}

import { describe, expect, it } from 'vitest'
import type { AnchoredCheckpoint, AuditAnchor } from '../../src/ports/stores/audit-anchor.ts'

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** In the format of real notes: several lines, and characters outside ASCII. */
export const checkpointOf = (namespaceId: string, size: number, root = 'root'): AnchoredCheckpoint => ({
  namespaceId,
  size,
  time: 1_700_000_000_000 + (size % 1000),
  note: `svc/audit/demo\n${size}\n${Buffer.from(`${root} ${size}`).toString('base64')}\n\n— svc/audit/demo ${root}\n`,
})

/** The contract of the port, for every storage. Each `open` returns another client of the same new, empty storage. */
export function auditAnchorContract(name: string, create: () => Promise<{ open(): AuditAnchor }>): void {
  const sizesOf = async (anchor: AuditAnchor, namespaceId: string) =>
    (await all(anchor.of(namespaceId))).map(({ size }) => size)
  const newestOf = async (anchor: AuditAnchor) =>
    (await all(anchor.newest())).map(({ namespaceId, size }) => `${namespaceId} ${size}`).sort()

  describe(`audit anchor: ${name}`, () => {
    it('holds nothing at first', async () => {
      const anchor = (await create()).open()
      expect(await newestOf(anchor)).toEqual([])
      expect(await sizesOf(anchor, 'ns_1')).toEqual([])
    })

    it('keeps checkpoints as they are, also for who comes later', async () => {
      const place = await create()
      const [first, second] = [checkpointOf('ns_1', 9), checkpointOf('ns_1', 10)]
      await place.open().append(first)
      await place.open().append(second)
      expect(await all(place.open().of('ns_1'))).toEqual([first, second])
      expect(await all(place.open().newest())).toEqual([second])
    })

    it('tells namespaces apart, also where one name begins with another', async () => {
      const anchor = (await create()).open()
      for (const [id, size] of [
        ['ns_1', 5],
        ['ns_11', 3],
        ['ns_1', 7],
        ['ns-2', 1],
      ] as const) {
        await anchor.append(checkpointOf(id, size))
      }
      expect(await newestOf(anchor)).toEqual(['ns-2 1', 'ns_1 7', 'ns_11 3'])
      expect(await sizesOf(anchor, 'ns_1')).toEqual([5, 7])
      expect(await sizesOf(anchor, 'ns_')).toEqual([])
    })

    it('is the same after the same again', async () => {
      const place = await create()
      const [small, large] = [checkpointOf('ns_1', 4), checkpointOf('ns_1', 8)]
      for (const checkpoint of [small, large, small, large, large]) await place.open().append(checkpoint)
      expect(await all(place.open().of('ns_1'))).toEqual([small, large])
    })

    it('orders by size, whatever came first and however long the numbers are', async () => {
      const anchor = (await create()).open()
      const sizes = [0, 1, 9, 10, 99, 1000, 2 ** 40, Number.MAX_SAFE_INTEGER]
      for (const size of sizes.toReversed()) await anchor.append(checkpointOf('ns_1', size))
      expect(await sizesOf(anchor, 'ns_1')).toEqual(sizes)
      expect(await newestOf(anchor)).toEqual([`ns_1 ${Number.MAX_SAFE_INTEGER}`])
    })

    it('keeps both sides of a forked log', async () => {
      const anchor = (await create()).open()
      for (const size of [10, 20, 30]) await anchor.append(checkpointOf('ns_1', size))
      for (const size of [10, 20]) await anchor.append(checkpointOf('ns_1', size, 'other'))
      expect(await sizesOf(anchor, 'ns_1')).toEqual([10, 10, 20, 20, 30])
      const notes = (await all(anchor.of('ns_1'))).map(({ note }) => note)
      expect(new Set(notes).size).toBe(5)
      expect(await newestOf(anchor)).toEqual(['ns_1 30'])
    })

    it('still knows the largest when a log that was set back continued for long', async () => {
      const anchor = (await create()).open()
      await anchor.append(checkpointOf('ns_1', 10_000))
      for (let size = 1; size <= 150; size++) await anchor.append(checkpointOf('ns_1', size, 'a long root '.repeat(9)))
      expect(await newestOf(anchor)).toEqual(['ns_1 10000'])
      expect(await sizesOf(anchor, 'ns_1')).toEqual([...Array.from({ length: 150 }, (_, i) => i + 1), 10_000])
    })

    it('loses nothing when several append at once', async () => {
      const place = await create()
      const sizes = Array.from({ length: 40 }, (_, i) => i)
      const anchors = [place.open(), place.open(), place.open()]
      await Promise.all(anchors.flatMap((anchor) => sizes.map((size) => anchor.append(checkpointOf('ns_1', size)))))
      expect(await sizesOf(place.open(), 'ns_1')).toEqual(sizes)
      expect(await newestOf(place.open())).toEqual(['ns_1 39'])
    })

    it.each(['', '.', '..', '../ns', 'a/b', 'a\\b', 'ns.1', 'nß', 'n\0'])('refuses the namespace id %j', async (id) => {
      const anchor = (await create()).open()
      await expect(anchor.append(checkpointOf(id, 1))).rejects.toThrow(RangeError)
      await expect(all(anchor.of(id))).rejects.toThrow(RangeError)
    })
  })
}

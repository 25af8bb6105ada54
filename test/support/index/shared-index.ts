import { afterAll } from 'vitest'
import { openCatalog, type PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { createSharedFeed } from '../../../src/domain/indexing/shared-feed.ts'
import type { IndexCursors } from '../../../src/ports/catalog.ts'
import type { UnitIndex } from '../../../src/ports/indexes/index-filter.ts'
import type { Unfed } from '../../../src/ports/indexes/index-sink.ts'
import { createStorage } from '../database/database.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/**
 * An index outside of this process, fed as the service feeds it. Its cursors are in a real catalog, which creates each
 * namespace when it is first used.
 */
export async function fedThroughCatalog<I extends UnitIndex>(
  index: Unfed<I>,
): Promise<Omit<Unfed<I>, 'sink'> & Pick<I, 'feed'>> {
  const storage = await createStorage()
  const catalog = await openCatalog(storage.catalog, silent)
  afterAll(async () => {
    await catalog.close()
    await storage.remove()
  })
  const { sink, ...rest } = index
  return { ...rest, feed: createSharedFeed(sink, withNamespaces(catalog), 'this process') }
}

/** Creates namespaces on first use. */
function withNamespaces({ client, indexCursors }: PrismaCatalog): IndexCursors {
  const made = new Map<string, Promise<unknown>>()
  const make = async (id: string) => {
    const creating =
      made.get(id) ??
      client.$executeRaw`INSERT INTO namespace (id, name, tier, created_at) VALUES (${id}, ${id}, 'free', 0)
        ON CONFLICT DO NOTHING`
    made.set(id, creating)
    await creating
  }
  return {
    ...indexCursors,
    claim: async (namespaceId, ...rest) => {
      await make(namespaceId)
      return indexCursors.claim(namespaceId, ...rest)
    },
  }
}

import { deserialize, serialize } from 'node:v8'
import type { Catalog, KeepOptions, KeptAnswers, NamespaceWriter } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'
import { type CurrentWrite, currentWrite } from './current-write.ts'
import { keptMs, requireSame } from './kept.ts'

/**
 * The catalog, where each transaction of a write with an Idempotency-Key is done once: it keeps its result with its
 * effect, or neither. Sent again, it returns what it returned before. The write learns the seq that it reached.
 */
export function createWritingCatalog(catalog: Catalog, clock: Clock): Catalog {
  async function once<T>(
    write: CurrentWrite,
    kept: KeptAnswers,
    namespaceId: string,
    work: () => Promise<T>,
    shorten: KeepOptions<T>['kept'],
  ): Promise<T> {
    const { key } = write
    if (!key || shorten === false) return work()
    const id = key.idOf(write.namespaceId ?? namespaceId, `step ${write.steps++}`)
    const now = clock.now()
    const known = await kept.find(id, now)
    if (known) {
      requireSame(known, key)
      write.replayed = true
      return deserialize(key.open(known.content))
    }
    const result = await work()
    const content = key.seal(serialize(shorten ? shorten(result) : result))
    await kept.keep({ id, request: key.request, content, expiresAt: now + keptMs }, now)
    return result
  }

  const note = (write: CurrentWrite, { namespace, seq }: NamespaceWriter) => {
    if (write.namespaceId === null || write.namespaceId === namespace.id) write.seq = seq()
  }

  return {
    ...catalog,
    transact: (namespaceId, work, options) => {
      const write = currentWrite()
      if (!write) return catalog.transact(namespaceId, work, options)
      const within = async (tx: NamespaceWriter) => {
        const result = await once(write, tx.kept, namespaceId, () => work(tx), options?.kept)
        note(write, tx)
        return result
      }
      return catalog.transact(namespaceId, within, options)
    },
    provision: (work, options) => {
      const write = currentWrite()
      if (!write) return catalog.provision(work, options)
      return catalog.provision(async (tx) => {
        const writers: NamespaceWriter[] = []
        const within = async (namespaceId: string) => {
          const writer = await tx.within(namespaceId)
          writers.push(writer)
          return writer
        }
        const result = await once(write, tx.kept, '', () => work({ ...tx, within }), options?.kept)
        for (const writer of writers) note(write, writer)
        return result
      }, options)
    },
  }
}

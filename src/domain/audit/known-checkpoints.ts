import { auditAnchorUnavailable } from '../../errors.ts'
import { type Checkpoint, parseCheckpoint, type SignedCheckpoint } from '../../model/checkpoint.ts'
import { equal } from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'
import type { AuditTree } from '../../ports/catalog.ts'
import type { AuditAnchor } from '../../ports/stores/audit-anchor.ts'

/** Every known checkpoint of a log, from the catalog and from the anchor, in order of size. */
export interface KnownCheckpoints {
  /** Checkpoints not returned yet, of at most this many rows. */
  upTo(size: number): Promise<KnownCheckpoint[]>
  /** Of the returned ones, the last of each place; the largest is at the end. */
  readonly last: { readonly kept: readonly KnownCheckpoint[]; readonly anchored: readonly KnownCheckpoint[] }
}

/** Its values, and the note that they come from. `root` is empty when the note is different or is not a checkpoint. */
export interface KnownCheckpoint extends Pick<Checkpoint, 'size' | 'root'> {
  note: string
}

const pageSize = 500
/** How many of each place are remembered: checking a signature takes longer than checking a hundred rows. */
const remembered = 50

interface Places {
  catalog: { auditTree: AuditTree }
  anchor: Pick<AuditAnchor, 'of'>
}

/** For a log that has no relevant anchored checkpoints. */
export const noAnchor: Places['anchor'] = { of: async function* () {} }

/** Of the catalog's checkpoints, only those of more rows than `above`. */
export function readKnownCheckpoints({ catalog, anchor }: Places, { id }: Namespace, above?: number): KnownCheckpoints {
  const kept = queueOf(keptIn(catalog.auditTree, id, above))
  const anchored = queueOf(anchoredIn(anchor.of(id)))
  return {
    upTo: async (size) => {
      const taken: KnownCheckpoint[] = []
      for (const queue of [kept, anchored]) {
        for (let next = await queue.peek(); next && next.size <= size; next = await queue.peek())
          taken.push(queue.take(next))
      }
      return taken.sort((a, b) => a.size - b.size)
    },
    get last() {
      return { kept: kept.taken, anchored: anchored.taken }
    },
  }
}

/** Whether the note matches the other fields. */
export const isAsNoted = ({ size, root, note }: Pick<SignedCheckpoint, 'size' | 'root' | 'note'>): boolean => {
  const said = parseCheckpoint(note)
  return said?.size === size && equal(said.root, root)
}

async function* keptIn(
  tree: AuditTree,
  namespaceId: string,
  above = Number.MIN_SAFE_INTEGER,
): AsyncGenerator<KnownCheckpoint> {
  for (let last = above; ; ) {
    const page = await tree.checkpoints(namespaceId, last, pageSize)
    for (const kept of page) {
      const { size, root, note } = kept
      last = size
      yield { size, root: isAsNoted(kept) ? root : Buffer.of(), note }
    }
    if (page.length < pageSize) return
  }
}

async function* anchoredIn(checkpoints: ReturnType<AuditAnchor['of']>): AsyncGenerator<KnownCheckpoint> {
  for await (const { size, note } of readable(checkpoints)) {
    const said = parseCheckpoint(note)
    yield { size, root: said?.size === size ? said.root : Buffer.of(), note }
  }
}

async function* readable<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items
  } catch {
    throw auditAnchorUnavailable()
  }
}

function queueOf(source: AsyncGenerator<KnownCheckpoint>) {
  let waiting: KnownCheckpoint | null = null
  const taken: KnownCheckpoint[] = []
  return {
    taken,
    peek: async () => {
      waiting ??= await source.next().then(({ done, value }) => (done ? null : value))
      return waiting
    },
    take: (checkpoint: KnownCheckpoint) => {
      waiting = null
      taken.push(checkpoint)
      if (taken.length > remembered) taken.shift()
      return checkpoint
    },
  }
}

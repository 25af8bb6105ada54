import { type Checkpoint, parseCheckpoint } from '../../model/checkpoint.ts'
import type { Namespace } from '../../model/registry.ts'
import type { AuditAnchor } from '../../ports/audit-anchor.ts'
import type { AuditTree } from '../../ports/audit-tree.ts'

/** Every checkpoint that is known of a log, from the catalog and from the anchor, in order of size. */
export interface Witnesses {
  /** Those that were not taken yet, of at most that many rows. */
  upTo(size: number): Promise<Witness[]>
  /** The largest one that each place holds, among those taken. */
  readonly newest: readonly Witness[]
}

/** Its figures, and the note that they come from. `root` is empty when the note says something else, or nothing. */
export interface Witness extends Pick<Checkpoint, 'size' | 'root'> {
  note: string
}

const pageSize = 500

interface Places {
  catalog: { auditTree: AuditTree }
  anchor: Pick<AuditAnchor, 'of'>
}

export function callWitnesses({ catalog, anchor }: Places, { id }: Namespace): Witnesses {
  const queues = [queueOf(keptIn(catalog.auditTree, id)), queueOf(anchoredIn(anchor.of(id)))]
  return {
    upTo: async (size) => {
      const taken: Witness[] = []
      for (const queue of queues) {
        for (let next = await queue.peek(); next && next.size <= size; next = await queue.peek())
          taken.push(queue.take(next))
      }
      return taken.sort((a, b) => a.size - b.size)
    },
    get newest() {
      return queues.flatMap((queue) => queue.last ?? [])
    },
  }
}

async function* keptIn(tree: AuditTree, namespaceId: string): AsyncGenerator<Witness> {
  for (let above = -1; ; ) {
    const page = await tree.checkpoints(namespaceId, above, pageSize)
    for (const { size, root, note } of page) {
      above = size
      const said = parseCheckpoint(note)
      yield { size, root: said?.size === size && Buffer.compare(said.root, root) === 0 ? root : Buffer.of(), note }
    }
    if (page.length < pageSize) return
  }
}

async function* anchoredIn(checkpoints: ReturnType<AuditAnchor['of']>): AsyncGenerator<Witness> {
  for await (const { size, note } of checkpoints) {
    const said = parseCheckpoint(note)
    yield { size, root: said?.size === size ? said.root : Buffer.of(), note }
  }
}

function queueOf(source: AsyncGenerator<Witness>) {
  let waiting: Witness | null = null
  let last: Witness | null = null
  return {
    peek: async () => {
      waiting ??= await source.next().then(({ done, value }) => (done ? null : value))
      return waiting
    },
    take: (witness: Witness) => {
      waiting = null
      last = witness
      return witness
    },
    get last() {
      return last
    },
  }
}

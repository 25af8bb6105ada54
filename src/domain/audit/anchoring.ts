import type { Checkpoint, SignedCheckpoint } from '../../model/checkpoint.ts'
import type { Namespace } from '../../model/registry.ts'
import { tiers } from '../../model/tiers.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { NoteSigner } from './note-signer.ts'

type Deps = Pick<Bindings, 'catalog' | 'anchor' | 'clock' | 'log'> & { signer: NoteSigner }
type Anchored = Pick<Checkpoint, 'size' | 'root'>

export type Anchoring = ReturnType<typeof createAnchoring>

/** Stores checkpoints outside the catalog, and knows the largest stored one of each log. */
export function createAnchoring({ catalog, anchor, clock, log, signer }: Deps) {
  const anchored = new Map<string, Anchored>()
  const unanchored = new Map<string, Namespace>()
  let compared: Promise<void> | null = null
  let failedAt: number | null = null

  const sizeOf = (namespaceId: string) => anchored.get(namespaceId)?.size ?? -1

  const read = async () => {
    for await (const { namespaceId, size, note } of anchor.newest()) {
      const said = signer.open(note)
      if (said?.size !== size) {
        log.error({ namespaceId, size }, 'the audit anchor holds checkpoints that this service did not sign')
        continue
      }
      if (size > sizeOf(namespaceId)) anchored.set(namespaceId, said)
      const { head } = await catalog.audit.end(namespaceId)
      if (head.seq < size) log.error({ namespaceId, rows: head.seq, anchored: size }, setBack)
    }
    // Signed by an earlier process while the anchor failed.
    for (const { size, ...namespace } of await catalog.auditTree.signed()) {
      if (tiers[namespace.tier].audit && size > sizeOf(namespace.id)) unanchored.set(namespace.id, namespace)
    }
  }

  return {
    /** Reads the anchor once, and logs a warning where the anchor knows more rows than the catalog. Never fails. */
    compare: async () => {
      if (failedAt !== null && Math.abs(clock.now() - failedAt) >= retryMs) compared = null
      compared ??= read().then(
        () => {
          failedAt = null
        },
        (err) => {
          failedAt = clock.now()
          log.error({ err }, 'the audit anchor could not be read')
        },
      )
      await compared
    },
    /** The largest checkpoint known to be anchored. */
    newest: (namespaceId: string) => anchored.get(namespaceId) ?? null,
    /** A failing anchor blocks nothing: it is tried again with the next checkpoints. */
    keep: async (namespace: Namespace, { size, root, note, time }: SignedCheckpoint) => {
      if (sizeOf(namespace.id) >= size) return
      try {
        await anchor.append({ namespaceId: namespace.id, size, note, time })
        anchored.set(namespace.id, { size, root })
        unanchored.delete(namespace.id)
      } catch (err) {
        unanchored.set(namespace.id, namespace)
        log.error({ err, namespace: namespace.name }, 'a checkpoint of the audit log could not be anchored')
      }
    },
    /** Logs whose newest checkpoint is not anchored, as far as this process knows. */
    unanchored: () => [...unanchored.values()],
    /** Whether there are such logs, or the anchor could not be read. */
    isBehind: () => unanchored.size > 0 || failedAt !== null,
  }
}

/** How long an unreadable anchor is not read again: nobody waits for it twice. */
const retryMs = 30_000

const setBack = 'the catalog was set back: an audit log is shorter than a checkpoint that was signed of it'

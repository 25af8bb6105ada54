import type { KeyObject } from 'node:crypto'
import { auditInconsistent, type ServiceError } from '../../errors.ts'
import {
  type Checkpoint,
  formatCheckpoint,
  originOf,
  parseCheckpoint,
  type SignedCheckpoint,
} from '../../model/checkpoint.ts'
import { equal } from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'
import { type NoteVerifier, openNote, signNote, verifierOf } from '../../model/signed-note.ts'
import { tiers } from '../../model/tiers.ts'
import type { AuditSettings, Bindings } from '../deps.ts'
import { growTree, rootsOf } from './tree.ts'

type Deps = Pick<Bindings, 'catalog' | 'anchor' | 'clock' | 'log'> &
  Pick<AuditSettings, 'signingKeys' | 'checkpointMs'> & { brand: string }

/** Signs the heads of audit logs, and never one that does not continue what was signed before. */
export interface Checkpoints {
  /** Of all rows that the log holds now. Errors: 503 `audit_inconsistent`. */
  current(namespace: Namespace): Promise<SignedCheckpoint>
  /** Who signs under an origin, the present key first. */
  verifiers(origin: string): readonly [NoteVerifier, ...NoteVerifier[]]
  /** What a note says; null when it is no checkpoint, or not signed by this service. */
  open(note: string): Checkpoint | null
  /** Signs the logs that have grown, where it is time to. Returns 0: what fails is tried again the next time. */
  signDue(): Promise<number>
  /** Signs the logs that have grown. Never fails. */
  signGrown(): Promise<void>
  /** Says in the service's log where the anchor knows of more rows than the catalog. Nothing is signed before that. */
  compareWithAnchor(): Promise<void>
}

export function createCheckpoints(deps: Deps): Checkpoints {
  const { catalog, anchor, clock, log, brand, signingKeys, checkpointMs } = deps
  /** By namespace id: the largest checkpoint that is known to be anchored. */
  const anchored = new Map<string, Pick<Checkpoint, 'size' | 'root'>>()
  const unanchored = new Map<string, Namespace>()
  const running = new Map<string, Promise<SignedCheckpoint>>()
  let compared: Promise<void> | null = null
  let signedAt = clock.now()

  const verifiers: Checkpoints['verifiers'] = (origin) => {
    const [first, ...rest] = signingKeys
    const verifier = (privateKey: KeyObject) => verifierOf({ name: origin, privateKey })
    return [verifier(first), ...rest.map(verifier)]
  }

  // By the origin that it names itself: the brand may have been another one then.
  const open: Checkpoints['open'] = (note) => {
    const said = parseCheckpoint(note)
    return said && openNote(note, verifiers(said.origin)) !== null ? said : null
  }

  const sign = async (namespace: Namespace): Promise<SignedCheckpoint> => {
    await compareWithAnchor()
    // The head last: another process may sign rows between the two, and none of them is missing for that.
    const newest = await catalog.auditTree.checkpoint(namespace.id, 'newest')
    const { head } = await catalog.audit.end(namespace.id)
    const before = [newest, anchored.get(namespace.id) ?? null].filter((checkpoint) => checkpoint !== null)
    const gone = before.find(({ size }) => size > head.seq)
    if (gone) throw inconsistent(namespace, gone.size)
    if (newest?.size === head.seq && before.every(({ root }) => equal(root, newest.root))) {
      return keepOutside(namespace, newest)
    }
    await growTree(deps, namespace, head.seq)
    const [root, ...oldRoots] = await rootsOf(
      deps,
      namespace,
      [head.seq, ...before.map(({ size }) => size)].map((end) => ({ begin: 0, end })),
    )
    const other = before.find((checkpoint, i) => !equal(checkpoint.root, oldRoots[i] ?? checkpoint.root))
    if (other || root === undefined) throw inconsistent(namespace, other?.size ?? head.seq)
    const checkpoint = { origin: originOf(brand, namespace.name), size: head.seq, root }
    const note = signNote(formatCheckpoint(checkpoint), { name: checkpoint.origin, privateKey: signingKeys[0] })
    return keepOutside(
      namespace,
      await catalog.auditTree.keepCheckpoint(namespace.id, { ...checkpoint, note, time: clock.now() }),
    )
  }

  /** An anchor that fails holds nothing up: it is tried again with the next checkpoints. */
  const keepOutside = async (namespace: Namespace, checkpoint: SignedCheckpoint): Promise<SignedCheckpoint> => {
    const { size, root, note, time } = checkpoint
    if ((anchored.get(namespace.id)?.size ?? -1) >= size) return checkpoint
    try {
      await anchor.append({ namespaceId: namespace.id, size, note, time })
      anchored.set(namespace.id, { size, root })
      unanchored.delete(namespace.id)
    } catch (err) {
      unanchored.set(namespace.id, namespace)
      log.error({ err, namespace: namespace.name }, 'a checkpoint of the audit log could not be anchored')
    }
    return checkpoint
  }

  const current: Checkpoints['current'] = (namespace) => {
    const run = running.get(namespace.id) ?? sign(namespace).finally(() => running.delete(namespace.id))
    running.set(namespace.id, run)
    return run
  }

  const readAnchor = async () => {
    for await (const { namespaceId, size, note } of anchor.newest()) {
      const said = open(note)
      if (said?.size !== size) {
        log.error({ namespaceId, size }, 'the anchor of the audit log holds what this service did not sign')
        continue
      }
      anchored.set(namespaceId, said)
      const { head } = await catalog.audit.end(namespaceId)
      if (head.seq < size) log.error({ namespaceId, rows: head.seq, anchored: size }, setBack)
    }
  }

  const compareWithAnchor = async () => {
    compared ??= readAnchor()
    await compared.catch((err) => {
      compared = null
      log.error({ err }, 'the anchor of the audit log could not be read')
    })
  }

  const signGrown = async () => {
    const grown = await catalog.auditTree.grown()
    const due = new Map([...unanchored, ...grown.map((namespace) => [namespace.id, namespace] as const)])
    for (const namespace of due.values()) {
      if (!tiers[namespace.tier].audit) continue
      await current(namespace).catch((err) => log.error({ err, namespace: namespace.name }, 'no checkpoint was signed'))
    }
  }

  return {
    current,
    verifiers,
    open,
    compareWithAnchor,
    signGrown: () => signGrown().catch((err) => log.error({ err }, 'no checkpoints were signed')),
    signDue: async () => {
      if (checkpointMs === 0 || clock.now() - signedAt < checkpointMs) return 0
      signedAt = clock.now()
      await signGrown()
      return 0
    },
  }
}

const setBack = 'the catalog was set back: an audit log is shorter than a checkpoint that was signed of it'

const inconsistent = ({ name }: Namespace, size: number): ServiceError =>
  auditInconsistent(`the audit log of ${name} is not the one that a checkpoint of ${size} rows was signed for`)

import { notFound } from '../../errors.ts'
import { checkEnd } from '../../model/audit-chain.ts'
import { type Checkpoint, originOf, type SignedCheckpoint } from '../../model/checkpoint.ts'
import { equal } from '../../model/merkle.ts'
import type { Namespace } from '../../model/registry.ts'
import { tiers } from '../../model/tiers.ts'
import type { AuditSettings, Bindings } from '../bindings/bindings.ts'
import type { Anchoring } from './anchoring.ts'
import { followTail } from './follow-chain.ts'
import type { LogAges } from './log-ages.ts'
import type { NoteSigner } from './note-signer.ts'
import { shareRuns } from './shared-runs.ts'
import { notIntact, rootsOf, strayBreak } from './tree.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'log'> &
  Pick<AuditSettings, 'checkpointMs'> & { brand: string; signer: NoteSigner; anchoring: Anchoring; logAges: LogAges }

export type Checkpoints = ReturnType<typeof createCheckpoints>

/** Signs the heads of audit logs. Every signed head must continue what was signed before. */
export function createCheckpoints(deps: Deps) {
  const { catalog, clock, log, brand, checkpointMs, signer, anchoring, logAges } = deps
  let signedAt = clock.now()

  const current = shareRuns(async (namespace) => {
    await anchoring.compare()
    // Read the head last: another process may sign rows between the two reads, and those rows must not seem missing.
    const newest = await catalog.auditTree.checkpoint(namespace.id, 'newest')
    const { head, strayAt } = await catalog.audit.end(namespace.id)
    const before = [newest, anchoring.newest(namespace.id)].filter((checkpoint) => checkpoint !== null)
    const gone = before.find(({ size }) => size > head.seq)
    if (gone) throw notIntact(namespace, `a checkpoint of ${gone.size} rows was signed, and it has ${head.seq}`)
    if (newest) refuse(namespace, newest, newest.size === head.seq)

    const { last, broken, root, fresh } = await followTail(catalog, namespace, head, newest?.size ?? 0)
    const stray = broken ? null : strayBreak(await catalog.auditTree.strayNode(namespace.id), head)
    const found = broken ?? checkEnd(last, head, strayAt) ?? stray
    if (found) throw notIntact(namespace, found.reason)
    await catalog.auditTree.keepNodes(namespace.id, fresh)
    await expectRoots(namespace, [{ size: head.seq, root }, ...before])

    const checkpoint = { origin: originOf(brand, namespace.name), size: head.seq, root }
    const signed =
      newest?.size === head.seq
        ? newest
        : await catalog.auditTree.keepCheckpoint(namespace.id, {
            ...checkpoint,
            note: signer.sign(checkpoint),
            time: clock.now(),
          })
    logAges.signed(namespace.id, signed.time)
    await anchoring.keep(namespace, signed)
    return signed
  })

  /** A forged checkpoint is neither returned nor continued. One of an unknown key may be continued, not returned. */
  const refuse = (namespace: Namespace, kept: SignedCheckpoint, isGivenOut: boolean): void => {
    const signature = signer.check(kept, namespace.name)
    if (signature === 'bad' || (isGivenOut && signature === 'unknown')) {
      throw notIntact(namespace, `the checkpoint of ${kept.size} rows was not signed by this service`)
    }
  }

  /** The stored tree must match the followed rows and the signed roots. */
  const expectRoots = async (namespace: Namespace, expected: readonly Pick<Checkpoint, 'size' | 'root'>[]) => {
    const ranges = expected.map(({ size }) => ({ begin: 0, end: size }))
    const roots = await rootsOf(deps, namespace, ranges)
    const other = expected.find(({ root }, i) => !equal(root, roots[i] ?? Buffer.of()))
    if (other) throw notIntact(namespace, `it is not the one that a checkpoint of ${other.size} rows was signed for`)
  }

  const signGrown = async () => {
    const grown = await catalog.auditTree.grown()
    const due = new Map([...anchoring.unanchored(), ...grown].map((namespace) => [namespace.id, namespace] as const))
    for (const namespace of due.values()) {
      if (!tiers[namespace.tier].audit) continue
      logAges.grew(namespace)
      await current(namespace).catch((err) => log.error({ err, namespace: namespace.name }, 'no checkpoint was signed'))
    }
  }

  return {
    /** A checkpoint of all current rows, after following them to the head. Errors: 503 `audit_inconsistent`. */
    current,
    /** An earlier one, by its number of rows. Errors: 404 for a size that was never signed; 503 as for `current`. */
    earlier: async (namespace: Namespace, size: number) => {
      await current(namespace)
      const kept = await catalog.auditTree.checkpoint(namespace.id, size)
      // The verifier key that is returned with it could not check it.
      if (!kept || signer.check(kept, namespace.name) === 'unknown') {
        throw notFound('no such checkpoint: size must be one that the current keys of the service signed')
      }
      refuse(namespace, kept, true)
      await expectRoots(namespace, [kept])
      return kept
    },
    /** Signs the logs that have grown. Never fails. */
    signGrown: () => signGrown().catch((err) => log.error({ err }, 'no checkpoints were signed')),
    /** Signs the logs that have grown, if it is time to. Returns 0: failures are tried again the next time. */
    signDue: async () => {
      if (checkpointMs === 0 || Math.abs(clock.now() - signedAt) < checkpointMs) return 0
      signedAt = clock.now()
      await signGrown()
      return 0
    },
  }
}

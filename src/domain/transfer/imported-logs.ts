import type { AuditEntry } from '../../model/audit.ts'
import { checkEnd } from '../../model/audit-chain.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import { tiers } from '../../model/tiers.ts'
import { TransferRefusedError } from '../../model/transfer.ts'
import type { TransferNamespace, TransferWriter } from '../../ports/catalog/transfer.ts'
import type { Checkpoints } from '../audit/checkpoints.ts'
import { followChain } from '../audit/follow-chain.ts'
import { noAnchor, readKnownCheckpoints } from '../audit/known-checkpoints.ts'
import type { NoteSigner } from '../audit/note-signer.ts'
import type { Bindings } from '../bindings/bindings.ts'

export interface CheckedLogs {
  namespaces: readonly TransferNamespace[]
  /** Names of the namespaces whose newest checkpoint is signed by a key that this service does not have. */
  unknownKeys: readonly string[]
}

/** Recomputes the imported logs, and compares them with their checkpoints. Throws `TransferRefusedError` at a break. */
export async function checkLogs(
  { signer }: { signer: Pick<NoteSigner, 'open'> },
  tx: TransferWriter,
): Promise<CheckedLogs> {
  const namespaces = await tx.namespaces()
  const unknownKeys: string[] = []
  for (const namespace of namespaces) {
    const { id, name } = namespace
    // Nothing just imported is anchored here yet.
    const checkpoints = readKnownCheckpoints({ catalog: tx, anchor: noAnchor }, namespace)
    const signed = (await tx.auditTree.checkpoint(id, 'newest'))?.size ?? 0
    const { head, strayAt } = await tx.audit.end(id)
    const { last, broken } = await followChain(tx, namespace, { head, checkpoints, signed })
    const found = broken ?? checkEnd(last, head, strayAt)
    if (found) throw new TransferRefusedError(`the audit log of ${name} does not verify: ${found.reason}`)
    if ((await checkpoints.upTo(Number.MAX_SAFE_INTEGER)).length > 0) {
      throw new TransferRefusedError(
        `the audit log of ${name} does not verify: a checkpoint covers rows that are missing`,
      )
    }
    const newest = checkpoints.last.kept.at(-1)
    if (newest && signer.open(newest.note) === null) unknownKeys.push(name)
  }
  return { namespaces, unknownKeys }
}

/** Records the import in each log, as the first row by this service. Logs of deleted namespaces have ended. */
export async function recordImport(
  { clock, random }: Pick<Bindings, 'clock' | 'random'>,
  tx: TransferWriter,
  { namespaces }: CheckedLogs,
  detail: AuditEntry['detail'],
): Promise<void> {
  const actor = { principalId: 'system', requestId: random.id('import') }
  for (const { id, name, deleted } of namespaces) {
    if (!deleted) await tx.append(id, auditEntry(actor, clock.now(), 'namespace.import', name, detail))
  }
}

/** Signs the checked logs with a checkpoint of this service. If that fails, the log is signed a little later. */
export async function signLogs(
  { checkpoints, log }: Pick<Bindings, 'log'> & { checkpoints: Pick<Checkpoints, 'current'> },
  { namespaces }: CheckedLogs,
): Promise<void> {
  for (const namespace of namespaces) {
    if (namespace.deleted || !tiers[namespace.tier].audit) continue
    await checkpoints
      .current(namespace)
      .catch((err) => log.error({ err, namespace: namespace.name }, 'no checkpoint of an imported log was signed'))
  }
}

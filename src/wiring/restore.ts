import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Snapshot } from '../adapters/backup-fs/format.ts'
import { openRepository } from '../adapters/backup-fs/repository.ts'
import { checkSnapshot, restoreSnapshot } from '../adapters/backup-fs/restore.ts'
import { createApp } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import { createNoteSigner, type NoteSigner } from '../domain/audit/note-signer.ts'
import { verifyLog } from '../domain/audit/verify-audit.ts'
import { type BackupCounts, type BackupHead, BackupRefusedError } from '../model/backup.ts'
import { createRuntime, type Runtime } from '../runtime.ts'
import { auditOf } from './audit.ts'

interface Task {
  from: string
  /** Default: the newest one. */
  id: string | undefined
}

/** Throws a `BackupRefusedError`; the folder is then as it was. */
export async function restore({ from, id, dataDir }: Task & { dataDir: string }): Promise<Snapshot> {
  const repository = await openRepository(from)
  const newest = id ?? (await repository.ids()).at(-1)
  if (newest === undefined) throw new BackupRefusedError(`there is no snapshot in ${repository.path}`)
  const snapshot = await repository.read(newest)
  await checkSnapshot(repository, snapshot)
  await restoreSnapshot(repository, snapshot, dataDir)
  return snapshot
}

/** Restores into a temporary folder and compares it with what the snapshot says. Throws a `BackupRefusedError`. */
export async function verifySnapshot({
  config,
  ...task
}: Task & { config: Config }): Promise<{ snapshot: Snapshot; differences: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'restore-'))
  try {
    const dataDir = join(folder, 'data')
    const snapshot = await restore({ ...task, dataDir })
    return { snapshot, differences: await differencesOf(snapshot, dataDir, config) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Expected {
  counts: BackupCounts
  heads: readonly BackupHead[]
  /** Whether the keys that signed its logs are in it. */
  keys: boolean
}

/**
 * Opens a restored data directory with the built-in engines, and returns what differs from its snapshot, a sentence
 * each: counts, ends of audit logs, logs that do not verify, namespaces that cannot be searched.
 */
async function differencesOf(expected: Expected, dataDir: string, { brand, audit }: Config): Promise<string[]> {
  const token = randomBytes(32).toString('base64url')
  const settings = { DATA_DIR: dataDir, BRAND: brand, SUPER_ADMIN_TOKEN: token, LOG_LEVEL: 'silent' }
  // Idle: what it does for the caller is all that it does to the copy.
  const config = { ...readConfig(settings), audit }
  const runtime = await createRuntime(config, {}, { background: 'never' })
  try {
    const { snapshots } = runtime
    if (!snapshots) throw new Error('a restored catalog is embedded')
    const found = await snapshots.recount()
    const differences = compare(expected, found)
    const texts = await snapshots.sampleTexts()
    const { fetch } = createApp(runtime)
    const ask = async (namespace: string, path: string, body?: object) => {
      const headers = {
        authorization: `Bearer ${token}`,
        [`x-${brand}-namespace`]: namespace,
        'content-type': 'application/json',
      }
      const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
      const response = await fetch(new Request(`http://localhost${path}`, request))
      return { status: response.status, body: JSON.parse(await response.text()) }
    }
    differences.push(...(await brokenLogs(runtime, found.heads, expected.keys || audit.signingSeeds !== null)))
    for (const [namespace, text] of texts) {
      const answer = await ask(namespace, '/v1/search', { q: wordsOf(text), top_k: 5 })
      if (answer.status !== 200 || answer.body.hits.length === 0) {
        differences.push(`a search in ${namespace} finds nothing: ${answer.body.detail ?? 'its Units are not indexed'}`)
      }
    }
    return differences
  } finally {
    // The searches began work in the background.
    await runtime.domain.stop()
    await runtime.dispose()
  }
}

/** Without the keys, signatures of checkpoints cannot be checked; what they say of the rows can. */
async function brokenLogs(
  { config, bindings }: Runtime,
  logs: readonly { id: string }[],
  hasKeys: boolean,
): Promise<string[]> {
  const { check, ...own } = createNoteSigner(await auditOf(config))
  const signer: NoteSigner = {
    ...own,
    check: (kept, namespace) => {
      const signature = check(kept, namespace)
      return signature === 'unknown' && !hasKeys ? 'good' : signature
    },
  }
  const broken: string[] = []
  for (const { id } of logs) {
    const namespace = await bindings.catalog.registry.namespace(id)
    if (!namespace) continue
    const { reason } = await verifyLog({ ...bindings, signer }, namespace)
    if (reason !== null) broken.push(`the audit log of ${namespace.name} does not verify: ${reason}`)
  }
  return broken
}

const wordsOf = (text: string): string => text.split(/\s+/).slice(0, 12).join(' ')

function compare(expected: Expected, found: Omit<Expected, 'keys'>): string[] {
  const counts = Object.entries(expected.counts).flatMap(([name, n]) => {
    const restored = { ...found.counts }[name as keyof BackupCounts]
    return restored === n ? [] : [`${name.replace('_', ' ')}: the snapshot has ${n}, the restored data ${restored}`]
  })
  const heads = new Map(found.heads.map((head) => [head.namespace, head]))
  const logs = expected.heads.flatMap(({ namespace, seq, hash }) => {
    const head = heads.get(namespace)
    return head?.seq === seq && head.hash === hash
      ? []
      : [`the audit log of ${namespace} ends at row ${head?.seq ?? 0} and not at row ${seq} as in the snapshot`]
  })
  return [...counts, ...logs]
}

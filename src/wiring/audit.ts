import { join } from 'node:path'
import { createFileAnchor } from '../adapters/anchor-fs/file-anchor.ts'
import { keptSecret } from '../adapters/identity/secret.ts'
import type { Config } from '../config.ts'
import type { AuditSettings } from '../domain/bindings/bindings.ts'
import { privateKeyOf } from '../model/signed-note.ts'
import { noTelemetry } from '../model/telemetry.ts'
import type { AuditAnchor } from '../ports/stores/audit-anchor.ts'

export async function anchorOf({ anchor, dataDir }: Config, telemetry = noTelemetry): Promise<AuditAnchor> {
  if (anchor.kind === 'directory') return createFileAnchor(anchor.path ?? join(dataDir, 'anchors'))
  const { createS3Anchor } = await import('../adapters/s3/s3-anchor.ts')
  return createS3Anchor(anchor, { telemetry })
}

export async function auditOf({ audit, dataDir }: Config): Promise<AuditSettings> {
  const { reads, queries, signingSeeds, checkpointMs } = audit
  const secret = (name: string) => keptSecret(join(dataDir, 'secrets'), name)
  const seeds = signingSeeds ?? [Buffer.from(await secret('audit-signing-key'), 'base64url')]
  const [signer, ...replaced] = seeds.map(privateKeyOf)
  if (signer === undefined) throw new Error('there is no key to sign audit logs with')
  const settings = { reads, signingKeys: [signer, ...replaced], checkpointMs } as const
  if (reads === 'off') return { ...settings, queries: { kind: 'none' } }
  if (queries.kind !== 'hash') return { ...settings, queries }
  return { ...settings, queries: { kind: 'hash', secret: queries.secret ?? (await secret('audit-query-key')) } }
}

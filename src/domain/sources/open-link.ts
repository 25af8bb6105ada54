import { auditEntry } from '../../model/audit-entry.ts'
import type { ByteRange } from '../../model/exact-bytes.ts'
import { tiers } from '../../model/tiers.ts'
import type { OperationName } from '../../operations/operations.ts'
import { tokenHash } from '../access/tokens.ts'
import { visibilityOf } from '../access/visibility.ts'
import type { AuditSettings, Bindings } from '../bindings/bindings.ts'
import { servedAs } from './content-type.ts'
import { type LinkDeps, linkSession } from './link-session.ts'
import { openRendition } from './renditions.ts'

type Deps = LinkDeps & Pick<Bindings, 'objects' | 'log'> & { audit: AuditSettings }

export interface ServedSource {
  name: string
  contentType: string
  inline: boolean
  bytes: number
  /** Hex. */
  sha256: string
  /** Reads nothing until the first chunk is taken. */
  stream(range?: ByteRange): AsyncIterable<Uint8Array>
}

const operation: OperationName = 'sourceLink'

/**
 * Checks everything again that was checked when the link was made. Null for a link that is unknown or expired, or that
 * its maker could not make any more. The log has a row of the first use.
 */
export async function openLink(deps: Deps, secret: string, requestId: string): Promise<ServedSource | null> {
  const { catalog, clock, audit } = deps
  const hash = tokenHash(secret)
  const link = await catalog.sourceLinks.sourceLink(hash)
  if (!link || link.expiresAt <= clock.now()) return null
  const session = await linkSession(deps, link, operation, requestId)
  const unit = session && (await catalog.units.get(visibilityOf(session, 'read'), link.unitId))
  const source = unit && (await catalog.sources.ofUnit(link.namespace.id, link.unitId))
  if (!session || source?.id !== link.sourceId) return null
  const opened = await openRendition(deps, link.namespace.id, source, link.rendition, link)
  if (!opened) return null
  const isRecorded = audit.reads !== 'off' && tiers[session.namespace.tier].audit
  if (isRecorded && !link.used) {
    const { rendition, unitId } = link
    const entry = auditEntry(session, clock.now(), 'source.read', unitId, { source_uri: source.uri, rendition })
    await catalog.transact(session.namespace.id, async (tx) => {
      if (await tx.sources.useLink(hash, entry.time)) await tx.audit(entry)
    })
  }
  const { content, name, bytes, sha256, stream } = opened
  return { ...servedAs(content), name: name ?? source.id, bytes, sha256, stream }
}

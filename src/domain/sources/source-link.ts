import { noSuchSource } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Session } from '../../model/session.ts'
import { admit } from '../access/gate.ts'
import { tokenHash } from '../access/tokens.ts'
import { findUnit } from '../access/visibility.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { servedAs } from './content-type.ts'
import { openRendition } from './renditions.ts'
import type { SourceLinkInput } from './source-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'objects' | 'clock' | 'random' | 'log'> & Pick<DomainSettings, 'publicOrigin'>

export interface SourceLink {
  /** Absolute if the service knows its origin; otherwise a path on the origin of the request. */
  url: string
  /** Epoch milliseconds. */
  expiresAt: number
  mime: string
  bytes: number
  /** Hex. */
  sha256: string
  name: string | null
  /** A browser may show it. */
  inline: boolean
}

const linkMs = 5 * 60_000

/**
 * Makes a link that serves the source of a Unit. A Unit that is hidden or unknown, one without a kept source, and a
 * rendition that does not exist give the same 404. Errors: also 503 `source_store_unavailable`.
 */
export async function createSourceLink(
  deps: Deps,
  session: Session,
  { unitId: asked, rendition }: SourceLinkInput,
): Promise<SourceLink> {
  admit(session, 'sourceLink')
  const { catalog, clock, random, publicOrigin } = deps
  const { principalId, facts, namespace } = session
  const unit = await findUnit(catalog, session, asked)
  const source = unit && (await catalog.sources.ofUnit(namespace.id, unit.unitId))
  const opened = source && (await openRendition(deps, namespace.id, source, rendition))
  if (!unit || !source || !opened) throw noSuchSource()
  const { bytes, sha256, name, content } = opened
  const now = clock.now()
  const expiresAt = Math.min(now + linkMs, facts.keyExpiresAt ?? Number.POSITIVE_INFINITY)
  const secret = random.base62(32)
  const { unitId } = unit
  const made = { hash: tokenHash(secret), principalId, keyHash: facts.keyHash ?? null, expiresAt }
  await catalog.transact(namespace.id, async (tx) => {
    await tx.sources.insertLink({ ...made, unitId, sourceId: source.id, rendition, bytes, sha256 })
    await tx.audit(auditEntry(session, now, 'source.link', unitId, { source_uri: source.uri, rendition }))
  })
  const url = `${publicOrigin ?? ''}/sources/${secret}`
  return { url, expiresAt, mime: content.type, bytes, sha256, name, inline: servedAs(content).inline }
}

import { InvalidInputError } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import { admit } from '../access/gate.ts'
import { tokenHash } from '../access/tokens.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import type { UploadInput } from './source-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & Pick<DomainSettings, 'publicOrigin' | 'maxSourceBytes'>

export interface Upload {
  /** Absolute if the service knows its origin; otherwise a path on the origin of the request. */
  url: string
  /** Epoch milliseconds. */
  expiresAt: number
}

const linkMs = 10 * 60_000

/** Makes a link that takes the bytes of one source by PUT. Errors: 400, 403 without `write`. */
export async function createUpload(deps: Deps, session: Session, input: UploadInput): Promise<Upload> {
  if (input.bytes > deps.maxSourceBytes) {
    throw new InvalidInputError(['bytes'], `must be at most ${deps.maxSourceBytes}`)
  }
  admit(session, 'createUpload')
  const { principalId, facts } = session
  const expiresAt = Math.min(deps.clock.now() + linkMs, facts.keyExpiresAt ?? Number.POSITIVE_INFINITY)
  const secret = deps.random.base62(32)
  const { bytes, sha256 = null, mime = null, name = null } = input
  const made = { hash: tokenHash(secret), principalId, keyHash: facts.keyHash ?? null, expiresAt }
  return deps.catalog.transact(session.namespace.id, async (tx) => {
    await tx.sources.insertUpload({ ...made, bytes, sha256: sha256?.toLowerCase() ?? null, mime, name })
    return { url: `${deps.publicOrigin ?? ''}/uploads/${secret}`, expiresAt }
  })
}

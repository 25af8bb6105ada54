import { webcrypto } from 'node:crypto'
import { InvalidInputError, ServiceError, sourceStoreUnavailable } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Session } from '../../model/session.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { inspect } from './content-type.ts'
import { sourceKey } from './purge-sources.ts'
import type { SourceInput } from './source-input.ts'

export interface Source {
  sourceUri: string
  mime: string
  bytes: number
  sha256: string
}

type Deps = Pick<Bindings, 'catalog' | 'objects' | 'clock' | 'random' | 'log'> & { maxSourceBytes: number }

/** The bytes are whole in memory, several times over: larger ones need an upload link. */
const maxBytes = 10 * 2 ** 20

/** Stores a raw source for the namespace; Units refer to it by the returned `sourceUri`. Needs `write`. */
export async function createSource(deps: Deps, session: Session, { data, mime }: SourceInput): Promise<Source> {
  const limit = Math.min(deps.maxSourceBytes, maxBytes)
  if (data.length > limit) throw new InvalidInputError(['data'], `must be at most ${limit} bytes`)
  admit(session, 'createSource')
  const id = deps.random.id('source')
  const source = {
    uri: `source://${id}`,
    mime,
    bytes: data.length,
    // Runs in another thread.
    sha256: Buffer.from(await webcrypto.subtle.digest('SHA-256', data)).toString('hex'),
  }
  // Store the bytes first: a record must not exist without them.
  await deps.objects.put(sourceKey(session.namespace.id, id), data).catch((err: unknown) => {
    if (err instanceof ServiceError) throw err
    deps.log.error({ err }, 'a source could not be stored')
    throw sourceStoreUnavailable()
  })
  const inspection = inspect()
  inspection.take(data)
  const content = await inspection.contentType({ mime, name: null })
  const now = deps.clock.now()
  return deps.catalog.transact(session.namespace.id, async (tx) => {
    await tx.sources.insert({ ...source, id, content, ...madeBy(session), name: null, createdAt: now, byLink: false })
    await tx.audit(
      auditEntry(session, now, 'source.create', source.uri, { bytes: source.bytes, sha256: source.sha256 }),
    )
    const { uri, ...facts } = source
    return { sourceUri: uri, ...facts }
  })
}

const madeBy = ({ principalId, facts }: Session) => ({ createdBy: principalId, uploadedWith: facts.keyHash ?? null })

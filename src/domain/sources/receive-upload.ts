import { ServiceError, sourceStoreUnavailable } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Namespace } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { OperationName } from '../../operations/operations.ts'
import type { SourceRow, UploadRow } from '../../ports/catalog/source-links.ts'
import { tokenHash } from '../access/tokens.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { checkBytes, wrongSize } from './checked-bytes.ts'
import { inspect } from './content-type.ts'
import type { Source } from './create-source.ts'
import { type LinkDeps, linkSession } from './link-session.ts'
import { sourceKey } from './purge-sources.ts'

type Deps = LinkDeps & Pick<Bindings, 'objects' | 'random' | 'log'>

export interface SentBytes {
  /** As the request declares it; null if it does not. */
  length: number | null
  chunks(): AsyncIterable<Uint8Array>
}

const operation: OperationName = 'createUpload'

/** Receives uploads, one at a time for each link. */
export function createUploadReceiver(deps: Deps) {
  /** Links with a PUT under way in this process. */
  const busy = new Set<string>()

  /**
   * Stores the bytes. Null for a link that is unknown, used, expired or under way, or whose maker may not upload any more.
   * Errors: 400 for other bytes than were said, 503 `source_store_unavailable`; then nothing is kept.
   */
  return async (secret: string, sent: SentBytes, requestId: string): Promise<Source | null> => {
    const hash = tokenHash(secret)
    if (busy.has(hash)) return null
    busy.add(hash)
    try {
      const { withClusterLock } = deps.catalog
      const work = () => receive(deps, hash, sent, requestId)
      return withClusterLock ? await withClusterLock(`upload ${hash}`, work) : await work()
    } finally {
      busy.delete(hash)
    }
  }
}

async function receive(deps: Deps, hash: string, sent: SentBytes, requestId: string): Promise<Source | null> {
  const { catalog, clock, random } = deps
  const upload = await catalog.sourceLinks.upload(hash)
  if (!upload || upload.expiresAt <= clock.now()) return null
  const session = await linkSession(deps, upload, operation, requestId)
  if (!session) return null
  if (sent.length !== null && sent.length !== upload.bytes) throw wrongSize(upload.bytes)
  const id = random.id('source')
  // Each attempt has its own id: after a crash nobody takes its bytes for those of the next one.
  if (!(await catalog.sourceLinks.beginUpload(hash, id))) return null
  const source = await store(deps, upload, id, sent)
  // It may have taken long: rights may have ended meanwhile.
  const still = await linkSession(deps, upload, operation, requestId)
  const isKept = still !== null && (await keep(deps, still, hash, source))
  if (isKept) return { sourceUri: source.uri, mime: source.mime, bytes: source.bytes, sha256: source.sha256 }
  await deps.objects.delete(sourceKey(upload.namespace.id, id))
  return null
}

async function store(
  { objects, clock, log }: Deps,
  upload: UploadRow & { namespace: Namespace },
  id: string,
  sent: SentBytes,
): Promise<SourceRow> {
  const { bytes, name, principalId, keyHash, namespace } = upload
  const inspection = inspect()
  const checked = checkBytes(sent.chunks(), upload, inspection)
  await objects.putStream(sourceKey(namespace.id, id), checked.chunks, bytes).catch((err: unknown) => {
    if (checked.problem() !== null) throw checked.problem()
    if (err instanceof ServiceError) throw err
    log.error({ err }, 'a source could not be stored')
    throw sourceStoreUnavailable()
  })
  const content = await inspection.contentType(upload)
  return {
    ...{ id, uri: `source://${id}`, mime: content.type, bytes, sha256: checked.sha256(), name, content },
    ...{ createdBy: principalId, createdAt: clock.now(), uploadedWith: keyHash, byLink: true },
  }
}

/** False when another PUT was faster. */
const keep = ({ catalog, clock }: Deps, session: Session, hash: string, source: SourceRow): Promise<boolean> =>
  catalog.transact(session.namespace.id, async (tx) => {
    if (!(await tx.sources.endUpload(hash, source.id))) return false
    await tx.sources.insert(source)
    const { uri, bytes, sha256 } = source
    await tx.audit(auditEntry(session, clock.now(), 'source.create', uri, { bytes, sha256 }))
    return true
  })

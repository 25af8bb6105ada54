import { AsyncLocalStorage } from 'node:async_hooks'
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import { ServiceError } from '../../errors.ts'
import type { Catalog, KeepOptions, KeptAnswer, KeptAnswers, NamespaceWriter } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'

/** An Idempotency-Key as it was sent. */
export interface SentKey {
  key: string
  /** The caller's credential. It encrypts what is kept, and is itself not kept. */
  credential: string
  /** All that the key stands for: method, path, query, scope, body. */
  request: readonly (string | Uint8Array)[]
}

/** Names and encrypts what is kept under a key. Only the same credential can find and read it. */
export interface WriteKey {
  /** The digest of the request. */
  request: string
  /** The id of a part, for requests that target this namespace. */
  idOf(namespaceId: string, part: string): string
  seal(content: Uint8Array): Uint8Array
  /** Throws for content that was not sealed under this credential. */
  open(content: Uint8Array): Uint8Array
}

const algorithm = 'aes-256-gcm'
const [nonceBytes, tagBytes] = [12, 16]

export function writeKeyOf({ key, credential, request }: SentKey): WriteKey {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', credential, '', `idempotency/${purpose}`, 32))
  const [naming, sealing] = [derive('name'), derive('seal')]
  const digest = (parts: readonly (string | Uint8Array)[]) => {
    const hmac = createHmac('sha256', naming)
    // With their lengths: no two lists of parts are the same bytes.
    for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:`).update(part)
    return hmac.digest('base64url')
  }
  return {
    request: digest(['request', ...request]),
    idOf: (namespaceId, part) => digest(['id', namespaceId, key, part]),
    seal: (content) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, sealing, nonce)
      return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
    },
    open: (content) => {
      const decipher = createDecipheriv(algorithm, sealing, content.subarray(0, nonceBytes))
      decipher.setAuthTag(content.subarray(-tagBytes))
      return Buffer.concat([decipher.update(content.subarray(nonceBytes, -tagBytes)), decipher.final()])
    },
  }
}

/** The write that a request makes, as its transactions see it. */
export interface CurrentWrite {
  /** The namespace that the request targets; null before the first seed. */
  namespaceId: string | null
  /** The namespace's seq after the latest transaction there; null if there was none. */
  seq: number | null
  key: WriteKey | null
  /** The number of its transactions so far. */
  steps: number
  /** An earlier request with this key has done at least one of them. */
  replayed: boolean
  /** The new home of the caller, which its next request targets. */
  movedTo: string | null
}

// The transactions of a request are begun in many places of the domain, none of which has to know of it.
const storage = new AsyncLocalStorage<CurrentWrite>()

export const currentWrite = (): CurrentWrite | undefined => storage.getStore()

export const withinWrite = <T>(write: CurrentWrite, work: () => Promise<T>): Promise<T> => storage.run(write, work)

/** For work that a request may begin, but that is not part of it. */
export const outsideWrites = <T>(work: () => T): T => storage.exit(work)

/** How long a key holds. */
export const keptMs = 24 * 3_600_000

export function requireSame(known: Pick<KeptAnswer, 'request'>, key: WriteKey): void {
  if (known.request === key.request) return
  throw new ServiceError(
    'idempotency_key_reused',
    'the Idempotency-Key was used for another request in the last 24 hours: send a new key with a new request',
  )
}

/**
 * The catalog, where each transaction of a write with an Idempotency-Key is done once: it keeps its result with its
 * effect, or neither. Sent again, it returns what it returned before. The write learns the seq that it reached.
 */
export function createWritingCatalog(catalog: Catalog, clock: Clock): Catalog {
  async function once<T>(
    write: CurrentWrite,
    kept: KeptAnswers,
    namespaceId: string,
    work: () => Promise<T>,
    shorten: KeepOptions<T>['kept'],
  ): Promise<T> {
    const { key } = write
    if (!key || shorten === false) return work()
    const id = key.idOf(write.namespaceId ?? namespaceId, `step ${write.steps++}`)
    const now = clock.now()
    const known = await kept.find(id, now)
    if (known) {
      requireSame(known, key)
      write.replayed = true
      return deserialize(key.open(known.content))
    }
    const result = await work()
    const content = key.seal(serialize(shorten ? shorten(result) : result))
    await kept.keep({ id, request: key.request, content, expiresAt: now + keptMs }, now)
    return result
  }

  const note = (write: CurrentWrite, { namespace, seq }: NamespaceWriter) => {
    if (write.namespaceId === null || write.namespaceId === namespace.id) write.seq = seq()
  }

  return {
    ...catalog,
    transact: (namespaceId, work, options) => {
      const write = currentWrite()
      if (!write) return catalog.transact(namespaceId, work, options)
      const within = async (tx: NamespaceWriter) => {
        const result = await once(write, tx.kept, namespaceId, () => work(tx), options?.kept)
        note(write, tx)
        return result
      }
      return catalog.transact(namespaceId, within, options)
    },
    provision: (work, options) => {
      const write = currentWrite()
      if (!write) return catalog.provision(work, options)
      return catalog.provision(async (tx) => {
        const writers: NamespaceWriter[] = []
        const within = async (namespaceId: string) => {
          const writer = await tx.within(namespaceId)
          writers.push(writer)
          return writer
        }
        const result = await once(write, tx.kept, '', () => work({ ...tx, within }), options?.kept)
        for (const writer of writers) note(write, writer)
        return result
      }, options)
    },
  }
}

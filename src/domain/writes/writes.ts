import { AsyncLocalStorage } from 'node:async_hooks'
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { ServiceError } from '../../errors.ts'
import type { SentKey } from '../../model/request.ts'
import type { Session } from '../../model/session.ts'
import type { Catalog, KeepOptions, KeptAnswer, KeptAnswers, NamespaceWriter } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'

/** `text` is what was answered, if a key was sent and something was done; else `value` is what was done just now. */
interface WriteResult<T> {
  value: T | undefined
  text: string | null
  /** A seq of the targeted namespace at which the write is part of it. */
  seq: number | null
  replayed: boolean
}

/**
 * Runs a write. With a key it is done once in 24 hours: the same request gets the same text again, and waits for one
 * that is still running. `textOf` is null for an answer that is not kept. Errors free the key. Errors of its own: 400
 * `idempotency_key_reused`, 409 `idempotency_in_progress`.
 */
type Write = <T>(
  session: Session | null,
  sent: SentKey | null,
  act: () => Promise<T>,
  textOf: (value: T) => Promise<string | null>,
) => Promise<WriteResult<T>>

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'log'> & Pick<DomainSettings, 'writeWaitMs'>

interface KeptText {
  text: string
  seq: number | null
}

interface Running {
  request: string
  /** Null when it failed. Never rejects. */
  done: Promise<KeptText | null>
}

const pollMs = 50

function createWrite({ catalog, clock, log, writeWaitMs }: Deps): Write {
  const running = new Map<string, Running>()

  async function perform<T>(session: Session | null, key: WriteKey | null, act: () => Promise<T>) {
    const namespaceId = session?.namespace.id ?? null
    const write: CurrentWrite = { namespaceId, seq: null, key, steps: 0, replayed: false, movedTo: null }
    const value = await withinWrite(write, act)
    if (write.seq === null && namespaceId !== null) {
      // What is done is done: an answer without the seq is better than an error.
      write.seq = await catalog.changes.headSeq(namespaceId).catch(() => null)
    }
    return { value, write }
  }

  async function once<T>(
    session: Session,
    key: WriteKey,
    id: string,
    act: () => Promise<T>,
    textOf: (value: T) => Promise<string | null>,
  ): Promise<WriteResult<T>> {
    const known = await catalog.kept.find(id, clock.now())
    if (known) {
      requireSame(known, key)
      return replay(key, known.content)
    }
    const { value, write } = await perform(session, key, act)
    const { seq, replayed, movedTo } = write
    const text = await textOf(value)
    if (text === null) return { value, text, seq, replayed }
    const now = clock.now()
    const content = key.seal(Buffer.from(JSON.stringify({ text, seq } satisfies KeptText)))
    const row = { request: key.request, content, expiresAt: now + keptMs }
    try {
      if (movedTo !== null) await catalog.kept.keep({ id: key.idOf(movedTo, 'answer'), ...row }, now)
      const standing = await catalog.kept.keep({ id, ...row }, now)
      // Another process found what this one did, and was the first to keep the answer.
      if (standing.content !== content && standing.request === key.request)
        return { ...replay<T>(key, standing.content), replayed }
    } catch (err) {
      // Its transactions are kept: the same request would find them.
      log.warn({ err }, 'the answer to a write was not kept')
    }
    return { value, text, seq, replayed }
  }

  /** Only one of several processes acts. */
  async function alone<T>(id: string, deadline: number, work: () => Promise<WriteResult<T>>): Promise<WriteResult<T>> {
    if (!catalog.withClusterLock) return work()
    for (;;) {
      const done = await catalog.withClusterLock(`write ${id}`, async () => ({ written: await work() }))
      if (done) return done.written
      if (performance.now() >= deadline) throw inProgress()
      await sleep(pollMs)
    }
  }

  return async (session, sent, act, textOf) => {
    if (!session || !sent) {
      const { value, write } = await perform(session, null, act)
      return { value, text: null, seq: write.seq, replayed: false }
    }
    const key = writeKeyOf(sent)
    const id = key.idOf(session.namespace.id, 'answer')
    const deadline = performance.now() + writeWaitMs
    for (let other = running.get(id); other; other = running.get(id)) {
      requireSame(other, key)
      const kept = await Promise.race([other.done, after(deadline - performance.now())])
      if (kept === 'late') throw inProgress()
      if (kept) return { value: undefined, ...kept, replayed: true }
    }
    const { promise: done, resolve } = Promise.withResolvers<KeptText | null>()
    running.set(id, { request: key.request, done })
    let kept: KeptText | null = null
    try {
      const written = await alone(id, deadline, () => once(session, key, id, act, textOf))
      kept = written.text === null ? null : { text: written.text, seq: written.seq }
      return written
    } finally {
      running.delete(id)
      resolve(kept)
    }
  }
}

function replay<T>(key: WriteKey, content: Uint8Array): WriteResult<T> {
  const { text, seq }: KeptText = JSON.parse(Buffer.from(key.open(content)).toString())
  return { value: undefined, text, seq, replayed: true }
}

const after = (ms: number) => sleep(Math.max(0, ms), 'late' as const, { ref: false })

const inProgress = () =>
  new ServiceError(
    'idempotency_in_progress',
    'the first request with this Idempotency-Key is still running: send it again later',
    {
      retryAfter: 5,
    },
  )

export function createWrites(deps: Deps) {
  const { catalog, clock } = deps
  return {
    write: createWrite(deps),
    tasks: [{ name: 'remove answers whose keys ran out', run: () => catalog.kept.removeExpired(clock.now()) }],
  }
}

/** Names and encrypts what is kept under a key. Only the same credential can find and read it. */
interface WriteKey {
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

function writeKeyOf({ key, credential, request }: SentKey): WriteKey {
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
interface CurrentWrite {
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

const withinWrite = <T>(write: CurrentWrite, work: () => Promise<T>): Promise<T> => storage.run(write, work)

/** For work that a request may begin, but that is not part of it. */
export const outsideWrites = <T>(work: () => T): T => storage.exit(work)

/** How long a key holds. */
const keptMs = 24 * 3_600_000

function requireSame(known: Pick<KeptAnswer, 'request'>, key: WriteKey): void {
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

import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import type { Bindings } from '../bindings/bindings.ts'
import {
  type CurrentWrite,
  keptMs,
  requireSame,
  type SentKey,
  type WriteKey,
  withinWrite,
  writeKeyOf,
} from './writing-catalog.ts'

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

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'log'>

interface KeptAnswer {
  text: string
  seq: number | null
}

interface Running {
  request: string
  /** Null when it failed. Never rejects. */
  done: Promise<KeptAnswer | null>
}

const pollMs = 50

function createWrite({ catalog, clock, log }: Deps, waitMs = 30_000): Write {
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
    const content = key.seal(Buffer.from(JSON.stringify({ text, seq } satisfies KeptAnswer)))
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
    const deadline = performance.now() + waitMs
    for (let other = running.get(id); other; other = running.get(id)) {
      requireSame(other, key)
      const kept = await Promise.race([other.done, after(deadline - performance.now())])
      if (kept === 'late') throw inProgress()
      if (kept) return { value: undefined, ...kept, replayed: true }
    }
    const { promise: done, resolve } = Promise.withResolvers<KeptAnswer | null>()
    running.set(id, { request: key.request, done })
    let kept: KeptAnswer | null = null
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
  const { text, seq }: KeptAnswer = JSON.parse(Buffer.from(key.open(content)).toString())
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

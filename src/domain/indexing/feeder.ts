import { setTimeout as sleep } from 'node:timers/promises'
import { pauseAfter } from '../../async/backoff.ts'
import type { Log } from '../../model/log.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'
import type { IndexChange, IndexFeed, ReadersChange } from '../../ports/indexes/index-filter.ts'

interface Run {
  /** The seq that the next attempt is to reach; 0 if nothing arrived since this one began. */
  next: number
  /** Since when the index takes no change; null unless the last attempt failed. */
  failingSince: number | null
  /** The first attempt is over. */
  tried: PromiseWithResolvers<void>
  done: Promise<void>
}

interface FeederDeps {
  catalog: Catalog
  clock: Clock
  log: Log
  /** The index has taken changes of a namespace. */
  onApplied(namespaceId: string): void
}

const batchSize = 500
/** Of changes of readers alone: without texts and vectors they are small. */
const readersSize = 4000
const retryMs = { first: 250, max: 15_000 }

/** After this time, an index that fails to take a change counts as down. */
const failedMs = 30_000

/** How long a stop waits for an index in this process: its files are to lose what was hard-deleted. */
const finishMs = 2000

/** Delay before it checks again a namespace that another process feeds. */
const elsewhereMs = 50

/** Keeps one index up to date with the catalog, one namespace at a time, from the index's own cursor. */
export function createFeeder({ catalog, clock, log, onApplied }: FeederDeps, feed: IndexFeed, recent: RecentChanges) {
  const runs = new Map<string, Run>()
  /** By namespace, the cursor after the latest attempt. */
  const reached = new Map<string, number>()
  const trusted = new Set<string>()
  const stopping = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})

  /** An index ahead of the catalog was built from another catalog. Checked until it succeeds once. */
  const resetIfForeign = async (namespaceId: string) => {
    if (trusted.has(namespaceId)) return
    if ((await feed.cursor(namespaceId)) > (await catalog.changes.headSeq(namespaceId))) {
      log.warn({ namespaceId }, 'an index is ahead of the catalog; rebuilding')
      await feed.reset(namespaceId)
    }
    trusted.add(namespaceId)
  }

  /** The next changes of readers alone, of Units that the index holds with the content of today. */
  const readersAfter = async (namespaceId: string, after: number): Promise<ReadersChange[]> => {
    if (feed.held === undefined) return []
    const next = await catalog.changes.readersAfter(namespaceId, after, readersSize)
    if (next.length === 0) return []
    const held = await feed.held(
      namespaceId,
      next.map(({ change }) => change),
    )
    const lacking = next.findIndex(({ change, contentSeq }) => (held.get(change.unitId) ?? 0) < contentSeq)
    return next.slice(0, lacking < 0 ? next.length : lacking).map(({ change }) => change)
  }

  const readAfter = async (namespaceId: string, after: number): Promise<ChangeBatch> => {
    const readers = await readersAfter(namespaceId, after)
    if (readers.length > 0) return { after, upTo: readers.at(-1)?.seq ?? after, changes: readers }
    const rows = await catalog.changes.after(namespaceId, after, batchSize)
    return { after, upTo: rows.at(-1)?.seq ?? after, changes: rows.map(({ change }) => change) }
  }

  /**
   * Returns the seq of the index after the attempt. It looks for nothing beyond `upTo`: it would wait for the transaction that is
   * writing it, and then read back what is about to be offered.
   */
  const catchUp = async (namespaceId: string, upTo: number, onTaken: () => void): Promise<number> => {
    await resetIfForeign(namespaceId)
    const end = Number.isFinite(upTo) ? upTo : await catalog.changes.headSeq(namespaceId)
    for (;;) {
      const from = await feed.cursor(namespaceId)
      if (stopping.signal.aborted || from >= end) return from
      const batch = recent.after(namespaceId, from) ?? (await readAfter(namespaceId, from))
      if (batch.upTo === from) return from
      if (await feed.apply(namespaceId, batch.changes, batch.upTo, batch.after)) {
        onTaken()
        onApplied(namespaceId)
      } else await pause(elsewhereMs)
    }
  }

  const attempt = async (namespaceId: string, run: Run, upTo: number): Promise<boolean> => {
    let since = clock.now()
    const onTaken = () => {
      since = clock.now()
      run.failingSince = null
    }
    try {
      reached.set(namespaceId, await catchUp(namespaceId, upTo, onTaken))
      run.failingSince = null
      return true
    } catch (error) {
      log.warn({ err: error, namespaceId }, 'indexing failed and will be retried')
      reached.set(namespaceId, 0)
      run.failingSince ??= since
      return false
    }
  }

  const loop = async (namespaceId: string, run: Run) => {
    let failures = 0
    while (!stopping.signal.aborted) {
      const upTo = run.next
      run.next = 0
      const succeeded = await attempt(namespaceId, run, upTo)
      run.tried.resolve()
      if (succeeded && run.next === 0) break
      if (succeeded) continue
      run.next = Math.max(run.next, upTo)
      await pause(pauseAfter(retryMs, failures))
      failures += 1
    }
    runs.delete(namespaceId)
    await feed.release(namespaceId).catch((err) => log.warn({ err, namespaceId }, 'a lease was not given back'))
  }

  /** New changes were written, up to a seq if it is given: catch up soon. */
  const notify = (namespaceId: string, upTo = Number.POSITIVE_INFINITY): void => {
    if (stopping.signal.aborted) return
    const running = runs.get(namespaceId)
    if (running) {
      running.next = Math.max(running.next, upTo)
      return
    }
    const run: Run = { next: upTo, failingSince: null, tried: Promise.withResolvers(), done: Promise.resolve() }
    runs.set(namespaceId, run)
    run.done = loop(namespaceId, run)
  }

  return {
    feed,
    notify,
    /** The seq that the index has reached: 0 while it is known to hold the data of another catalog. */
    cursor: async (namespaceId: string) => {
      const cursor = await feed.cursor(namespaceId)
      if (trusted.has(namespaceId)) return cursor
      notify(namespaceId)
      return cursor > (await catalog.changes.headSeq(namespaceId)) ? 0 : cursor
    },
    /** Whether the index's data for a namespace is known to come from this catalog. */
    trusts: (namespaceId: string) => trusted.has(namespaceId),
    /** Namespaces that it is bringing up to date now. */
    atWork: () => [...runs.keys()],
    /** Whether the index has failed to take changes for 30 s: those of a namespace, or of any if none is given. */
    isFailing: (namespaceId?: string) => {
      const asked = namespaceId === undefined ? [...runs.values()] : [runs.get(namespaceId)]
      const before = clock.now() - failedMs
      return asked.some((run) => (run?.failingSince ?? Infinity) <= before)
    },
    /** Whether this process has tried to bring the namespace up to date since the index last lost data. */
    hasTried: async (namespaceId: string) => {
      const known = reached.get(namespaceId)
      return known !== undefined && (await feed.cursor(namespaceId).catch(() => 0)) >= known
    },
    /** Tries to, and resolves when it has. */
    tried: async (namespaceId: string) => {
      notify(namespaceId)
      await runs.get(namespaceId)?.tried.promise
    },
    stop: async () => {
      const ended = Promise.all([...runs.values()].map((run) => run.done))
      const waiting = new AbortController()
      const late = sleep(feed.local ? finishMs : 0, undefined, { signal: waiting.signal }).catch(() => {})
      await Promise.race([ended, late])
      waiting.abort()
      stopping.abort()
      await ended
    },
  }
}

/** Changes of a namespace without a gap: all those above `after`, up to `upTo`. */
export interface ChangeBatch {
  after: number
  upTo: number
  changes: readonly IndexChange[]
}

/** How many changes are kept: several batches of the largest size. */
const maxChanges = 5000

/** Consecutive batches are joined up to this many changes: each call of an engine is slow. */
const manyChanges = 500

/**
 * Recently committed batches of new Units, so that indexes need not read them back from the catalog. Any of them may be
 * missing: the catalog is the truth.
 */
export class RecentChanges {
  // In order of arrival.
  readonly #batches = new Map<string, ChangeBatch>()
  #held = 0

  add(namespaceId: string, batch: ChangeBatch): void {
    this.#batches.set(keyOf(namespaceId, batch.after), batch)
    this.#held += batch.changes.length
    for (const [key, { changes }] of this.#batches) {
      if (this.#held <= maxChanges) return
      this.#batches.delete(key)
      this.#held -= changes.length
    }
  }

  /** The changes after a seq: a batch, and the following ones while they are small. */
  after(namespaceId: string, seq: number): ChangeBatch | undefined {
    let found = this.#batches.get(keyOf(namespaceId, seq))
    while (found && found.changes.length < manyChanges) {
      const next = this.#batches.get(keyOf(namespaceId, found.upTo))
      if (!next || next.upTo === found.upTo) break
      found = { after: seq, upTo: next.upTo, changes: [...found.changes, ...next.changes] }
    }
    return found
  }

  /** Whether all changes after a seq, up to another one, are kept: then they are new Units alone. */
  covers(namespaceId: string, after: number, upTo: number): boolean {
    let seq = after
    while (seq < upTo) {
      const batch = this.#batches.get(keyOf(namespaceId, seq))
      if (!batch || batch.upTo <= seq) return false
      seq = batch.upTo
    }
    return true
  }
}

const keyOf = (namespaceId: string, seq: number) => `${namespaceId} ${seq}`

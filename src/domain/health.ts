import type { Session } from '../model/session.ts'
import type { Load } from '../model/telemetry.ts'
import { planes } from '../model/unit.ts'
import type { Anchoring } from './audit/anchoring.ts'
import type { LogAges } from './audit/log-ages.ts'
import type { RecordQueue } from './audit/record-reads.ts'
import type { Bindings, DomainSettings } from './bindings/bindings.ts'
import type { Indexer } from './indexing/indexer.ts'

/** Whether an engine answers: known for a while after it did. */
interface RecentPing {
  /** It answered a ping that began a moment ago. */
  isKnown(): boolean
  /** The ping that is on its way, or a new one. */
  ask(): Promise<void>
}

/** How long an answer counts, from the beginning of its ping. */
const keptMs = 1_000
/** Until then a ping is shared. One that takes longer may never end. */
const sharedMs = 2_000

/**
 * Pings an engine at most once at a time, and not again for a second after it answered. A failure does not count for
 * later, so that a recovery is seen at once.
 */
function recentPing(ping: () => Promise<void>): RecentPing {
  let answeredAt = Number.NEGATIVE_INFINITY
  let asked: { at: number; answer: Promise<void> } | null = null

  const start = (at: number): Promise<void> => {
    const one = { at, answer: ping() }
    asked = one
    const finish = () => {
      if (asked === one) asked = null
    }
    one.answer.then(() => {
      answeredAt = Math.max(answeredAt, at)
      finish()
    }, finish)
    return one.answer
  }

  return {
    isKnown: () => performance.now() - answeredAt < keptMs,
    ask: () => {
      const now = performance.now()
      return asked !== null && now - asked.at < sharedMs ? asked.answer : start(now)
    },
  }
}

/** How long a binding may take to respond before it counts as down. */
const timeoutMs = 2000
const stepMs = 100

/** Asks the engines at most once a second, however often it is called. */
export function createHealth(
  deps: Bindings & DomainSettings & { anchoring: Pick<Anchoring, 'isBehind'>; indexer: Pick<Indexer, 'isFailing'> },
) {
  const { catalog, vectors, texts, objects, keyValue, inference, anchor, anchoring, indexer, clock, version } = deps
  const catalogPing = recentPing(() => catalog.ping())
  const pings = [catalogPing, ...[vectors, texts, objects, keyValue].map((engine) => recentPing(() => engine.ping()))]

  /** Never throws: its purpose is to report which binding is down. */
  async function health() {
    const asked = pings.every((ping) => ping.isKnown()) ? pings.map(() => true) : await Promise.all(pings.map(isUp))
    const [catalogUp, vectorsAnswer, textsAnswer, objectsUp, keyValueUp] = asked
    const vectorsUp = vectorsAnswer && !indexer.isFailing(vectors.feed)
    const textsUp = textsAnswer && !indexer.isFailing(texts.feed)
    // A model's ping says what the calls to it found, and costs nothing.
    const inferenceUp = await succeeds(inference.ping())
    const allUp = catalogUp && vectorsUp && textsUp && objectsUp && keyValueUp && inferenceUp
    const isBehind = anchoring.isBehind()
    const name = (engine: string, up: boolean | undefined) => (up ? engine : `${engine} (down)`)
    return {
      status: allUp && !isBehind ? 'ok' : 'degraded',
      service: 'multimodal-retrieval',
      version,
      time: new Date(clock.now()).toISOString(),
      bindings: {
        catalog: name(catalog.engine, catalogUp),
        vectorIndex: planes.map((plane) => name(vectors.nameOf(plane), vectorsUp)),
        objectStore: name(objects.engine, objectsUp),
        keyValue: name(keyValue.engine, keyValueUp),
        inference: inferenceUp,
      },
      auditAnchor: isBehind ? `${anchor.engine} (behind)` : anchor.engine,
    }
  }

  return { health, checkCatalog: async () => (catalogPing.isKnown() ? undefined : catalogPing.ask()) }
}

function isUp(ping: RecentPing): boolean | Promise<boolean> {
  return ping.isKnown() || answers(ping.ask())
}

const succeeds = (asked: Promise<void>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  )

async function answers(asked: Promise<void>): Promise<boolean> {
  const answered = succeeds(asked)
  // In steps: if this process was busy, a response may have arrived and not been read yet.
  for (let waited = 0; waited < timeoutMs; waited += stepMs) {
    const { promise: step, timer } = startStep()
    const up = await Promise.race([answered, step])
    clearTimeout(timer)
    if (up !== undefined) return up
  }
  return false
}

function startStep(): { promise: Promise<undefined>; timer: NodeJS.Timeout } {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  return { promise, timer: setTimeout(() => resolve(undefined), stepMs).unref() }
}

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'clock'> & {
  indexer: Indexer
  anchoring: Anchoring
  records: RecordQueue
  logAges: LogAges
}

const maxNamespaces = 16
const maxEvents = 1000

export function createLoad({ catalog, vectors, texts, clock, indexer, anchoring, records, logAges }: Deps): Load {
  return {
    now: () => ({
      indexing: indexer.atWork().length,
      auditRows: records.length(),
      checkpointAgeMs: logAges.oldest(),
      anchorIsBehind: anchoring.isBehind(),
      connections: catalog.connections?.() ?? null,
    }),
    pending: async () => {
      const sums = new Map(planes.map((plane) => [plane, { changes: 0, lagMs: 0 }]))
      for (const namespaceId of indexer.atWork().slice(0, maxNamespaces)) {
        const cursor = await indexer.cursor(namespaceId)
        for (const [plane, { changes, oldest }] of await catalog.changes.pending(namespaceId, cursor)) {
          const sum = sums.get(plane)
          if (sum === undefined) continue
          sum.changes += changes
          sum.lagMs = Math.max(sum.lagMs, clock.now() - oldest)
        }
      }
      return sums
    },
    content: async () => (await (vectors.content ?? texts.content)?.()) ?? null,
    billingEvents: () => catalog.billing.waiting(maxEvents),
  }
}

/** For the super-admin alone: it is of all namespaces together. */
export function loadFor(load: Load, session: Session | null) {
  if (!session?.facts.caller.superAdmin) return null
  const { indexing, auditRows, connections } = load.now()
  return { memoryBytes: process.memoryUsage.rss(), indexing, auditRows, statements: connections?.waiting ?? 0 }
}

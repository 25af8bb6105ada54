import { planes } from '../model/unit.ts'
import type { Anchoring } from './audit/anchoring.ts'
import type { Bindings, DomainSettings } from './bindings/bindings.ts'
import type { Indexer } from './indexing/indexer.ts'
import { type RecentPing, recentPing } from './recent-ping.ts'

export interface Health {
  status: 'ok' | 'degraded'
  service: string
  version: string
  /** ISO 8601. */
  time: string
  bindings: {
    catalog: string
    vectorIndex: string[]
    objectStore: string
    keyValue: string
    inference: boolean
  }
  /** The engine that stores checkpoints of audit logs, with ` (behind)` while it lacks some. */
  auditAnchor: string
}

/** How long a binding may take to respond before it counts as down. */
const timeoutMs = 2000
const stepMs = 100

export interface HealthChecks {
  /** Never throws: its purpose is to report which binding is down. */
  health(): Promise<Health>
  /** Throws while the catalog is down. */
  checkCatalog(): Promise<void>
}

/** Asks the engines at most once a second, however often it is called. */
export function createHealth(
  deps: Bindings & DomainSettings & { anchoring: Pick<Anchoring, 'isBehind'>; indexer: Pick<Indexer, 'isFailing'> },
): HealthChecks {
  const { catalog, vectors, texts, objects, keyValue, inference, anchor, anchoring, indexer, clock, version } = deps
  const catalogPing = recentPing(() => catalog.ping())
  const pings = [catalogPing, ...[vectors, texts, objects, keyValue].map((engine) => recentPing(() => engine.ping()))]

  async function health(): Promise<Health> {
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

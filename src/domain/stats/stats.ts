import { languageName, multilingualModel } from '../../model/language.ts'
import type { Session } from '../../model/session.ts'
import type { Plane } from '../../model/unit.ts'
import type { HourCounts, HourUsage, Stored, UsageStore } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'
import { type BackgroundTask, onceARound } from '../background/background.ts'
import { type Bindings, shownModel } from '../bindings/bindings.ts'
import { freshness, type PlaneFreshness } from '../indexing/freshness.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { hourMs, hoursOf, type SeriesInput, stepHours } from './series-input.ts'

export type QueryCounter = ReturnType<typeof createQueryCounter>

interface Waiting extends HourCounts {
  namespaceId: string
  hour: number
  latency: number[]
}

/** Counts per namespace and hour, written in groups: a crash may lose those of the last seconds. */
function createQueryCounter(usage: UsageStore, clock: Clock) {
  let waiting = new Map<string, Waiting>()
  const thisHour = () => Math.floor(clock.now() / hourMs)

  const add = (namespaceId: string, hour: number, counts: HourCounts) => {
    const key = `${namespaceId} ${hour}`
    const entry = waiting.get(key) ?? { namespaceId, hour, queries: 0, answers: 0, refused: 0, latency: noLatency() }
    entry.queries += counts.queries
    entry.answers += counts.answers
    entry.refused += counts.refused
    entry.latency = added(entry.latency, counts.latency)
    waiting.set(key, entry)
  }

  const write = async () => {
    const batch = waiting
    waiting = new Map()
    for (const [key, { namespaceId, hour, ...counts }] of batch) {
      batch.delete(key)
      await usage.addCounts(namespaceId, hour, counts).catch((error: unknown) => {
        // Kept for the next time, together with the following ones.
        for (const left of [{ namespaceId, hour, ...counts }, ...batch.values()]) add(left.namespaceId, left.hour, left)
        throw error
      })
    }
  }

  let last: Promise<void> = Promise.resolve()
  const flush = () => {
    last = last.catch(() => {}).then(write)
    return last
  }

  return {
    /** A search or an answer, and how long it took in milliseconds. */
    queried: (namespaceId: string, { answer, ms }: { answer: boolean; ms: number }) =>
      add(namespaceId, thisHour(), { queries: 1, answers: answer ? 1 : 0, refused: 0, latency: latencyOf(ms) }),
    /** A request that was refused to a principal of this home, by its rights or its tier. */
    refused: (namespaceId: string) => add(namespaceId, thisHour(), { queries: 0, answers: 0, refused: 1, latency: [] }),
    lastDay: async (namespaceId: string) => {
      await flush()
      return usage.queriesSince(namespaceId, thisHour() - 23)
    },
    /** Writes the counts since the last time, after those that are being written. */
    flush,
  }
}

export interface PlaneStats extends PlaneFreshness {
  plane: Plane
  model: string
  dims: number
  metric: 'cosine'
  vectors: number
}

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'clock' | 'inference' | 'formerInference'> & {
  indexer: Indexer
}

/** Counts of the whole namespace, independent of what the caller may read. */
async function catalogStats(deps: Deps & { queries: QueryCounter }, session: Session) {
  const namespaceId = session.namespace.id
  const { usage } = deps.catalog
  const fresh = await freshness(deps, namespaceId)
  const counts = await usage.planes(namespaceId)
  const models = await usage.models(namespaceId)
  const storage = await usage.storage(namespaceId)
  const planes = fresh.map((entry): PlaneStats => {
    const { model, dims } = shownModel(deps, models, entry.plane)
    return { ...entry, model, dims, metric: 'cosine', vectors: counts.get(entry.plane)?.vectors ?? 0 }
  })
  return {
    namespace: session.namespace.name,
    scope: session.requestedScope,
    planes,
    queriesPerDay: await deps.queries.lastDay(namespaceId),
    advice: adviceFor(deps, planes),
    storage: {
      objectStoreGb: storage.sourceBytes / 1e9,
      catalogRows: storage.rows,
      vectors: planes.reduce((sum, plane) => sum + plane.vectors, 0),
    },
  }
}

export function createStats(bound: Deps) {
  const queries = createQueryCounter(bound.catalog.usage, bound.clock)
  const deps = { ...bound, queries }
  const tasks: BackgroundTask[] = [onceARound('write query counts', queries.flush)]
  return {
    queries,
    tasks,
    servicesFor: (session: Session) => ({
      catalogStats: () => catalogStats(deps, session),
      usageSeries: (input: SeriesInput) => usageSeries(deps, session, input),
    }),
  }
}

/** Fewer Units say nothing about the languages of a namespace. */
const enoughUnits = 20

/** Proposes a model that understands more languages where more than a tenth of the Units got no vector from this one. */
function adviceFor({ inference }: Pick<Deps, 'inference'>, planes: readonly PlaneStats[]): string | null {
  const settled = planes.filter(({ lag, plane }) => lag === 0 && inference.model(plane).cosines?.languages)
  const [units, vectors] = [sum(settled, 'indexed'), sum(settled, 'vectors')]
  const [first] = settled
  if (first && units >= enoughUnits && vectors < 0.9 * units) {
    const { name, cosines } = inference.model(first.plane)
    const languages = new Intl.ListFormat('en').format((cosines?.languages ?? []).map(languageName))
    return `${units - vectors} of ${units} Units have no vector: ${name} understands only ${languages}. A model for 100 languages: ${multilingualModel}`
  }
  return planes.some(({ plane }) => inference.model(plane).fallback)
    ? 'Searches find words, not meaning: no embedding model is in use. Start without INFERENCE=builtin, or see the log'
    : null
}

const sum = (planes: readonly PlaneStats[], count: 'indexed' | 'vectors') =>
  planes.reduce((total, plane) => total + plane[count], 0)

/** Counts of the whole namespace, for every step of a range. */
async function usageSeries(
  { catalog: { usage }, queries }: Pick<Bindings, 'catalog'> & { queries: { flush(): Promise<void> } },
  { namespace }: Session,
  input: SeriesInput,
) {
  const size = stepHours[input.step]
  const [first, end] = hoursOf(input)
  await queries.flush()
  const stepOf = ({ hour }: { hour: number }) => Math.floor((hour - first) / size)
  const steps = stepOf({ hour: end })
  const since = await usage.since(namespace.id, first)
  const rows = Map.groupBy(since.hours, stepOf)
  const stored = storedAfter(steps, since, stepOf)
  const points = Array.from({ length: steps }, (_, i) => {
    const hours = rows.get(i) ?? []
    const sum = (count: 'queries' | 'answers' | 'ingested' | 'deleted' | 'refused') =>
      hours.reduce((total, hour) => total + hour[count], 0)
    const latency = hours.reduce((total, hour) => added(total, hour.latency), noLatency())
    const answers = sum('answers')
    return {
      at: (first + i * size) * hourMs,
      searches: sum('queries') - answers,
      answers,
      ingested: sum('ingested'),
      deleted: sum('deleted'),
      refused: sum('refused'),
      p50Ms: quantile(latency, 0.5),
      p95Ms: quantile(latency, 0.95),
      units: stored[i] ? { ...stored[i].units, docVisual: stored[i].units.doc_visual } : null,
      sourceBytes: stored[i]?.bytes ?? null,
    }
  })
  return { points }
}

/**
 * What was stored at the end of each step: what is stored now, without what came later. Null before the first hour whose
 * growth was noted.
 */
function storedAfter(
  steps: number,
  since: { hours: readonly HourUsage[]; stored: Stored },
  stepOf: (hour: HourUsage) => number,
): (Stored | null)[] {
  let stored: Stored | null = since.stored
  const latestFirst: (Stored | null)[] = []
  for (const hour of since.hours.toReversed()) {
    while (latestFirst.length < steps - stepOf(hour)) latestFirst.push(stored)
    stored = stored && hour.growth && without(stored, hour.growth)
  }
  while (latestFirst.length < steps) latestFirst.push(stored)
  return latestFirst.reverse()
}

const without = ({ units, bytes }: Stored, { units: more, bytes: moreBytes }: Stored): Stored => ({
  units: {
    text: units.text - more.text,
    visual: units.visual - more.visual,
    audio: units.audio - more.audio,
    doc_visual: units.doc_visual - more.doc_visual,
  },
  bytes: bytes - moreBytes,
})

/** Upper bounds of the counters of latency, in milliseconds. The last counter has no bound: its bound here is that of a request. */
const latencyBounds = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 10_000, 60_000,
]

const noLatency = (): number[] => latencyBounds.map(() => 0)

function latencyOf(ms: number): number[] {
  const found = latencyBounds.findIndex((bound) => ms <= bound)
  const at = found < 0 ? latencyBounds.length - 1 : found
  return latencyBounds.map((_, i) => (i === at ? 1 : 0))
}

const added = (one: readonly number[], other: readonly number[]): number[] =>
  latencyBounds.map((_, i) => (one[i] ?? 0) + (other[i] ?? 0))

/** Within its counter the quantile is interpolated. Null for no values. */
function quantile(latency: readonly number[], share: number): number | null {
  const target = share * latency.reduce((total, count) => total + count, 0)
  if (target === 0) return null
  let below = 0
  for (const [i, count] of latency.entries()) {
    if (below + count >= target) {
      const [low, high] = [latencyBounds[i - 1] ?? 0, latencyBounds[i] ?? 0]
      return low + ((high - low) * (target - below)) / count
    }
    below += count
  }
  return null
}

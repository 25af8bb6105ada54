import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { errorTable, rootCause, ServiceError } from '../../errors.ts'
import type { Load, RequestMeter, TaskQueue, Telemetry } from '../../model/telemetry.ts'
import { version } from '../../version.ts'
import { isFailure } from '../resilience/remote-error.ts'

export interface Metrics {
  registry: Registry
  requests: RequestMeter
  telemetry: Telemetry
  /** Reads the gauges again. Never fails. */
  refresh(load: Load): Promise<void>
}

/** All families of metrics. Label values come from fixed lists, so their number is bounded. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'retrieval_build_info',
    help: 'Always 1.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1)
  const load = createLoadMetrics(registry)
  return {
    registry,
    requests: createRequestMetrics(registry),
    telemetry: createWorkMetrics(registry, load.queued),
    refresh: load.refresh,
  }
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'])

const refusals: ReadonlySet<string> = new Set(
  Object.entries(errorTable).flatMap(([code, { status }]) => ([401, 402, 403, 429].includes(status) ? [code] : [])),
)

const methodLabel = (method: string | null) => (method !== null && methods.has(method) ? method : '_OTHER')

/** More than the combinations that the service itself makes. Beyond them a request counts as `unmatched`. */
const maxRoutes = 350

/** Rate, errors and duration of requests. Routes arrive as templates. */
function createRequestMetrics(registry: Registry): RequestMeter {
  const registers = [registry]
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of requests, until their answers ended.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    // Few, because each is a series for each route and status.
    buckets: [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10],
    registers,
  })
  // Counted here and told when it is read: a gauge looks up its labels each time.
  const active = new Map<string, number>()
  const change = (verb: string, by: number) => active.set(verb, (active.get(verb) ?? 0) + by)
  new Gauge({
    name: 'http_server_active_requests',
    help: 'Requests whose answers have not ended.',
    labelNames: ['http_request_method'],
    registers,
    collect() {
      for (const [verb, requests] of active) this.set({ http_request_method: verb }, requests)
    },
  })
  let readBuffered = () => 0
  new Gauge({
    name: 'retrieval_http_buffer_bytes',
    help: 'Bytes of bodies that are read or in work, and of answers that have not left.',
    registers,
    collect() {
      this.set(readBuffered())
    },
  })
  const refused = new Counter({
    name: 'retrieval_refusals_total',
    help: 'Requests that were refused, by the code of their error.',
    labelNames: ['code'],
    registers,
  })
  const known = atMost(maxRoutes)
  const count: RequestMeter['broken'] = ({ method, status, ms, route, error }) => {
    const verb = methodLabel(method)
    const code = status === null ? '' : `${status}`
    const isKnown = route !== null && known(`${verb} ${route} ${code}`)
    durations.observe(
      { http_request_method: verb, http_route: isKnown ? route : 'unmatched', http_response_status_code: code },
      ms / 1000,
    )
    if (error !== null && refusals.has(error)) refused.inc({ code: error })
  }
  return {
    buffered: (bytes) => {
      readBuffered = bytes
    },
    started: (method) => change(methodLabel(method), 1),
    ended: (request) => {
      change(methodLabel(request.method), -1)
      count(request)
    },
    broken: count,
  }
}

/** More than the outcomes that fields have. Beyond them an error counts as `internal_error`. */
const maxOutcomes = 400

/** Of fast work in this process. */
const shortBuckets = [0.0005, 0.0025, 0.01, 0.05, 0.25, 1, 5]

/** What the service reports about its own work, as metrics. */
function createWorkMetrics(registry: Registry, queued: Telemetry['queued']): Telemetry {
  const registers = [registry]
  const fields = new Histogram({
    name: 'retrieval_graphql_field_duration_seconds',
    help: 'Duration of root fields, from REST and GraphQL, by outcome: ok or the code of the error.',
    labelNames: ['type', 'field', 'outcome'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers,
  })
  const stages = new Histogram({
    name: 'retrieval_search_stage_duration_seconds',
    help: 'Duration of the stages of searches and answers.',
    labelNames: ['stage'],
    buckets: shortBuckets,
    registers,
  })
  const legs = new Histogram({
    name: 'retrieval_search_leg_duration_seconds',
    help: 'Duration of the legs of searches that succeeded, with the embedding of the query.',
    labelNames: ['leg', 'plane', 'engine'],
    buckets: shortBuckets,
    registers,
  })
  const dropped = new Counter({
    name: 'retrieval_search_legs_dropped_total',
    help: 'Legs of searches that failed and were left out.',
    labelNames: ['leg', 'plane', 'reason'],
    registers,
  })
  const written = new Counter({
    name: 'retrieval_units_written_total',
    help: 'Units by what happened to them.',
    labelNames: ['plane', 'change'],
    registers,
  })
  const waits = new Histogram({
    name: 'retrieval_catalog_wait_seconds',
    help: 'How long work waited for a connection of the catalog, or for the lock of a namespace.',
    labelNames: ['for'],
    buckets: shortBuckets,
    registers,
  })
  const inference = new Histogram({
    name: 'retrieval_inference_duration_seconds',
    help: 'Duration of calls of models.',
    labelNames: ['operation', 'provider', 'outcome'],
    buckets: [0.001, 0.01, 0.05, 0.25, 1, 5, 20],
    registers,
  })

  const known = atMost(maxOutcomes)
  const outcomeOf = (type: string, name: string, error: unknown): string => {
    const code = error === null ? 'ok' : codeOf(error)
    return known(`${type} ${name} ${code}`) ? code : 'internal_error'
  }

  return {
    field: ({ type, name }, work) =>
      timed(work, (seconds, error) =>
        fields.observe({ type, field: name, outcome: outcomeOf(type, name, error) }, seconds),
      ),
    stage: (stage, work) => timed(work, (seconds) => stages.observe({ stage }, seconds)),
    leg: ({ kind, plane, engine }, work) =>
      timed(work, (seconds, error) => {
        if (error === null) legs.observe({ leg: kind, plane, engine }, seconds)
      }),
    legDropped: ({ kind, plane }, error) =>
      dropped.inc({ leg: kind, plane, reason: isTimeout(error) ? 'timeout' : 'error' }),
    inference: ({ operation, provider }, work) =>
      timed(work, (seconds, error) => {
        const outcome = error === null ? 'ok' : isTimeout(error) ? 'timeout' : 'error'
        inference.observe({ operation, provider, outcome }, seconds)
      }),
    searched: () => {},
    unitsWritten: (plane, change, units) => written.inc({ plane, change }, units),
    queued,
    waited: (resource, ms) => waits.observe({ for: resource }, ms / 1000),
  }
}

const codeOf = (error: unknown): string => {
  const cause = error instanceof Error ? rootCause(error) : error
  return cause instanceof ServiceError ? cause.code : 'internal_error'
}

/** `ended` gets the error that the work threw, or null. */
async function timed<T>(work: () => Promise<T>, ended: (seconds: number, error: unknown) => void): Promise<T> {
  const began = performance.now()
  try {
    const result = await work()
    ended((performance.now() - began) / 1000, null)
    return result
  } catch (error) {
    ended((performance.now() - began) / 1000, error ?? new Error('nothing'))
    throw error
  }
}

/** Whether a call took too long: of a provider, or by its own deadline. */
const isTimeout = (error: unknown): boolean =>
  isFailure(error, 'timeout') || (error instanceof Error && error.name === 'TimeoutError')

interface LoadMetrics {
  queued(queue: TaskQueue, length: number): void
  /** Reads all gauges again. Never fails: what is not known in time is left out. */
  refresh(load: Load): Promise<void>
}

/** How long a scrape waits for the catalog and for threads. */
const timeoutMs = 1000

function createLoadMetrics(registry: Registry): LoadMetrics {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const pending = gauge('retrieval_index_pending', 'Changes that an index lacks.', ['plane'])
  const lag = gauge('retrieval_index_lag_seconds', 'Age of the oldest change that an index lacks, else 0.', ['plane'])
  const units = gauge('retrieval_index_units', 'Units that the embedded index has in memory.', ['plane'])
  const memory = gauge('retrieval_index_memory_bytes', 'Memory of the embedded index.', ['plane'])
  const connections = gauge(
    'retrieval_catalog_connections',
    'Connections of the catalog, and work that waits for one.',
    ['state'],
  )
  const queues = gauge('retrieval_queue_length', 'Length of queues: of embed, what a pass found, at most 64.', [
    'queue',
  ])
  const checkpoints = gauge(
    'retrieval_audit_checkpoint_age_seconds',
    'Age of the newest checkpoint of the log that has waited longest for one, 0 where none has grown.',
    [],
  )
  const anchor = gauge('retrieval_audit_anchor_behind', 'Whether the anchor lacks checkpoints: 0 or 1.', [])
  const events = gauge(
    'retrieval_billing_events_waiting',
    'Lookups at the payment provider that wait, counted up to 1000.',
    [],
  )

  const read = async (load: Load): Promise<void> => {
    const now = load.now()
    queues.set({ queue: 'index' }, now.indexing)
    queues.set({ queue: 'audit_reads' }, now.auditRows)
    checkpoints.set(now.checkpointAgeMs / 1000)
    anchor.set(now.anchorIsBehind ? 1 : 0)
    for (const [state, count] of Object.entries(now.connections ?? {})) connections.set({ state }, count)
    const [waiting, content, billed] = await Promise.all([
      inTime(load.pending()),
      inTime(load.content()),
      inTime(load.billingEvents()),
    ])
    for (const one of [pending, lag, units, memory]) one.reset()
    for (const [plane, { changes, lagMs }] of waiting ?? []) {
      pending.set({ plane }, changes)
      lag.set({ plane }, lagMs / 1000)
    }
    for (const [plane, held] of content ?? []) {
      units.set({ plane }, held.units)
      memory.set({ plane }, held.bytes)
    }
    if (billed === null) events.remove()
    else events.set(billed)
  }

  let reading: Promise<void> | null = null
  return {
    queued: (queue, length) => queues.set({ queue }, length),
    refresh: (load) => {
      // Scrapes of the same moment share what they read.
      reading ??= read(load).finally(() => {
        reading = null
      })
      return reading
    },
  }
}

/** Null when it fails or takes too long. */
async function inTime<T>(asked: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs)
  })
  return Promise.race([asked.catch(() => null), late]).finally(() => clearTimeout(timer))
}

/** Whether a combination of labels is among the first `max`: a limit of series that holds whatever callers send. */
function atMost(max: number): (combination: string) => boolean {
  const known = new Set<string>()
  return (combination) => {
    if (known.has(combination)) return true
    if (known.size >= max) return false
    known.add(combination)
    return true
  }
}

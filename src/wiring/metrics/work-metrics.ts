import { Counter, Histogram, type Registry } from 'prom-client'
import { rootCause, ServiceError } from '../../errors.ts'
import type { Telemetry } from '../../model/telemetry.ts'
import { atMost } from './at-most.ts'
import { isTimeout } from './is-timeout.ts'

/** More than the outcomes that fields have. Beyond them an error counts as `internal_error`. */
const maxOutcomes = 400

/** Of fast work in this process. */
const shortBuckets = [0.0005, 0.0025, 0.01, 0.05, 0.25, 1, 5]

/** What the service reports about its own work, as metrics. */
export function createWorkMetrics(registry: Registry, queued: Telemetry['queued']): Telemetry {
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

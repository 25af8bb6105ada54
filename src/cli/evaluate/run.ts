import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { ask } from '../program/graphql.ts'
import { type Service, UnreachableError } from '../program/service.ts'

const report = z.object({
  evals: z.array(
    z.object({ metric: z.string(), mean: z.number(), low: z.number(), high: z.number(), queries: z.number() }),
  ),
  benchmarks: z.array(z.object({ operation: z.string(), p50Ms: z.number(), p95Ms: z.number(), queries: z.number() })),
  queries: z.number(),
  degraded: z.number(),
})
type Report = z.output<typeof report>

const step = z.object({
  evaluate: z.object({
    run: z.object({ id: z.string(), total: z.number(), asked: z.number(), report: report.nullable() }),
  }),
})

const mutation = `mutation ($run: String, $answers: Boolean, $rerank: Boolean, $limit: Int) {
  evaluate(run: $run, answers: $answers, rerank: $rerank, limit: $limit) { run { id total asked report {
    evals { metric mean low high queries } benchmarks { operation p50Ms p95Ms queries } queries degraded } } } }`

interface Settings {
  run: string | undefined
  answers: boolean | undefined
  rerank: boolean | undefined
}

/** Queries per request. */
const atOnce = 10
const waitsMs = [500, 2000, 5000]

/** Sends requests until the report is ready. Retries failed requests: a run counts each query once. */
export async function evaluate(
  service: Service,
  { run, ...settings }: Settings,
  progress: (asked: number, total: number) => void,
): Promise<{ id: string; report: Report }> {
  let id = run
  for (;;) {
    const variables = id === undefined ? { ...settings, limit: atOnce } : { run: id, limit: atOnce }
    const answer = await again(() => ask(service, step, mutation, variables)).catch((error: unknown) => {
      throw id === undefined || !(error instanceof UnreachableError) ? error : new BrokenOffError(id, error)
    })
    const { asked, total, report: found } = answer.evaluate.run
    id = answer.evaluate.run.id
    progress(asked, total)
    if (found !== null) return { id, report: found }
  }
}

/** A run that can be resumed. */
class BrokenOffError extends Error {
  constructor(run: string, { message }: UnreachableError) {
    super(`${message}; --run ${run} continues it`)
  }
}

/** Tries again a few times while the service is out of reach. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (const ms of waitsMs) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
      await setTimeout(ms)
    }
  }
  return work()
}

export async function publish(service: Service, run: string): Promise<void> {
  const query = 'mutation ($run: String!) { publishReport(run: $run) { generatedAt } }'
  await ask(service, z.object({ publishReport: z.object({ generatedAt: z.string() }) }), query, { run })
}

/** A report for the terminal. */
export function table({ evals, benchmarks, queries, degraded }: Report): string {
  const quality = evals.map((entry) => [
    entry.metric,
    entry.mean.toFixed(3),
    `[${entry.low.toFixed(3)}, ${entry.high.toFixed(3)}]`,
    `${entry.queries}`,
  ])
  const speed = benchmarks.map((entry) => [
    entry.operation,
    `${entry.p50Ms.toFixed(1)} ms`,
    `${entry.p95Ms.toFixed(1)} ms`,
    `${entry.queries}`,
  ])
  return [
    ...(evals.length === 0 ? [] : [aligned([['metric', 'mean', '95 % interval', 'queries'], ...quality])]),
    ...(benchmarks.length === 0 ? [] : [aligned([['operation', 'p50', 'p95', 'queries'], ...speed])]),
    `${queries} queries${degraded === 0 ? '' : `; part of the service failed during ${degraded} of them: the figures are too low`}`,
  ].join('\n\n')
}

/** Aligns numbers right and names left. */
export function aligned(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    )
    .join('\n')
}

/** Metrics below their minimum, or not measured. */
export function shortfalls({ evals }: Report, minima: ReadonlyMap<string, number>): string[] {
  const means = new Map(evals.map(({ metric, mean }) => [metric, mean]))
  return [...minima].flatMap(([metric, minimum]) => {
    const mean = means.get(metric)
    if (mean === undefined) return [`${metric} was not measured`]
    return mean < minimum ? [`${metric} is ${mean.toFixed(3)}, below ${minimum}`] : []
  })
}

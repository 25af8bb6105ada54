import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { type Command, type Environment, flag, readFlags, text, texts, UsageError } from '../program/command.ts'
import { ask } from '../program/graphql.ts'
import { readService, type Service, serviceFlags } from '../program/service.ts'
import { again, aligned, evaluate, publish, shortfalls, table } from './run.ts'

const exitCodes = { measured: 0, short: 1, failed: 2 } as const

/** `evaluate --url URL …`: returns the exit code. */
async function evaluateService(args: readonly string[], env: Environment): Promise<number> {
  const options = await readOptions(args, env)
  const { service, file } = options
  if (file !== undefined) {
    const ids = await upload(service, await readGoldenFile(file))
    if (options.replace) await deleteOthers(service, ids)
  }
  if (options.fit) {
    console.log(fitTable(fitOf(await measureWeights(service, createProgress(process.stderr, Date.now)))))
    return exitCodes.measured
  }
  const { id, report } = await evaluate(service, options, createProgress(process.stderr, Date.now))
  console.log(options.json ? JSON.stringify({ run: id, ...report }) : table(report))
  const short = shortfalls(report, options.minima)
  if (short.length > 0) {
    console.error(short.join('\n'))
    return exitCodes.short
  }
  if (options.publish) await publish(service, id)
  return exitCodes.measured
}

export const command: Command = { name: 'evaluate', run: evaluateService, codeOf: () => exitCodes.failed }

/** Throws an error that says what is wrong with the command line. `minima` are those of the means. */
export async function readOptions(args: readonly string[], env: Environment) {
  const flags = { replace: flag, publish: flag, json: flag, answers: flag, rerank: flag, fit: flag }
  const options = { ...serviceFlags, file: text, run: text, min: texts, ...flags }
  const values = readFlags(args, options, { allowNegative: true })
  const { file, run, answers, rerank, replace = false, publish = false, json = false, fit = false } = values
  if (replace && file === undefined) throw new UsageError('--replace takes a --file')
  if (run !== undefined && [file, answers, rerank].some((value) => value !== undefined)) {
    throw new UsageError('--run continues a run, and cannot be combined with --file, --answers or --rerank')
  }
  const minima = new Map((values.min ?? []).map(readMinimum))
  if (fit && [run, answers, rerank, values.publish, values.min, values.json].some((value) => value !== undefined)) {
    throw new UsageError('--fit cannot be combined with --run, --answers, --rerank, --min, --publish or --json')
  }
  return { service: await readService(values, env), file, replace, publish, json, run, answers, rerank, fit, minima }
}

function readMinimum(text: string): [metric: string, value: number] {
  const [, metric = '', value = ''] = /^([^=]+)=(\d*\.?\d+)$/.exec(text) ?? []
  if (metric === '') throw new UsageError('--min takes METRIC=VALUE, such as ndcg@10=.7')
  return [metric, Number(value)]
}

interface Terminal {
  isTTY?: boolean
  write(text: string): unknown
}

const width = 30

/** Shows the progress of a run: on a terminal as one line that is rewritten, else as a new line each time. */
export function createProgress(out: Terminal, now: () => number) {
  // The state at the first call: queries that a resumed run asked earlier say nothing about the speed.
  let first: { asked: number; time: number } | null = null
  return (asked: number, total: number): void => {
    first ??= { asked, time: now() }
    if (!out.isTTY) {
      out.write(`asked ${asked} of ${total}\n`)
      return
    }
    const filled = total === 0 ? width : Math.round((asked / total) * width)
    const bar = '#'.repeat(filled) + '-'.repeat(width - filled)
    const secondsEach = (now() - first.time) / (asked - first.asked) / 1000
    const left = asked > first.asked && asked < total ? `, ${Math.ceil(secondsEach * (total - asked))} s left` : ''
    out.write(`\r\u001b[K[${bar}] ${asked}/${total}${left}${asked < total ? '' : '\n'}`)
  }
}

const line = z
  .strictObject({
    q: z.string(),
    scope: z.string().optional(),
    expected_unit_ids: z.array(z.string()).optional(),
    expected_external_ids: z.array(z.string()).optional(),
    expected_answers: z.array(z.string()).optional(),
  })
  .transform(({ q, scope, ...expected }) => ({
    q,
    scope,
    expectedUnitIds: expected.expected_unit_ids,
    expectedExternalIds: expected.expected_external_ids,
    expectedAnswers: expected.expected_answers,
  }))

type GoldenLine = z.output<typeof line>

/** The golden queries of a file, without blank lines. Throws an error that names the invalid line. */
export async function readGoldenFile(file: string): Promise<GoldenLine[]> {
  const lines = (await readFile(file, 'utf8')).split('\n')
  const queries = lines.flatMap((text, i) => (text.trim() === '' ? [] : [parseLine(text, `${file}:${i + 1}`)]))
  if (queries.length === 0) throw new Error(`${file} holds no golden query`)
  return queries
}

function parseLine(text: string, place: string): GoldenLine {
  const parsed = line.safeParse(parseJson(text, place))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Error(`${place}: ${[...(issue?.path ?? []), issue?.message].join(': ')}`)
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${place}: not JSON`)
  }
}

const written = z.object({ createGoldenQueries: z.object({ ids: z.array(z.string()) }) })
const batchSize = 100

/** Writes golden queries; returns their ids. */
async function upload(service: Service, queries: readonly GoldenLine[]): Promise<string[]> {
  const ids: string[] = []
  for (let from = 0; from < queries.length; from += batchSize) {
    const { createGoldenQueries } = await ask(
      service,
      written,
      'mutation ($queries: [GoldenQueryInput!]!) { createGoldenQueries(queries: $queries) { ids } }',
      { queries: queries.slice(from, from + batchSize) },
    )
    ids.push(...createGoldenQueries.ids)
  }
  return ids
}

const page = z.object({
  goldenQueries: z.object({ queries: z.array(z.object({ id: z.string() })), nextCursor: z.number().nullable() }),
})

/** Deletes the golden queries that are not in this list. */
async function deleteOthers(service: Service, kept: readonly string[]): Promise<void> {
  const others: string[] = []
  for (let cursor: number | null = 0; cursor !== null; ) {
    const answer: z.output<typeof page> = await ask(
      service,
      page,
      'query ($cursor: SafeInt) { goldenQueries(cursor: $cursor) { queries { id } nextCursor } }',
      { cursor },
    )
    others.push(...answer.goldenQueries.queries.map(({ id }) => id).filter((id) => !kept.includes(id)))
    cursor = answer.goldenQueries.nextCursor
  }
  if (others.length === 0) return
  const query = 'mutation ($ids: [String!]!) { deleteGoldenQueries(ids: $ids) { deleted } }'
  await ask(service, z.object({ deleteGoldenQueries: z.object({ deleted: z.number() }) }), query, { ids: others })
}

/** 2 is the service's default. */
const defaultWeight = 2
const weights = [0, 0.5, 1, defaultWeight, 4, 8]
/** Queries per request. */
const atOnce = 10
/** Of the normal distribution, both sides. */
const confidence95 = 1.96

const step = z.object({
  evaluate: z.object({
    run: z.object({ id: z.string(), total: z.number(), asked: z.number(), report: z.object({}).nullable() }),
    scores: z.array(
      z.object({
        goldenQueryId: z.string(),
        degraded: z.boolean(),
        values: z.array(z.object({ metric: z.string(), value: z.number() })),
      }),
    ),
  }),
})

const mutation = `mutation ($run: String, $answers: Boolean, $vectorWeight: Float, $limit: Int) {
  evaluate(run: $run, answers: $answers, vectorWeight: $vectorWeight, limit: $limit) {
    run { id total asked report { queries } }
    scores { goldenQueryId degraded values { metric value } } } }`

/** nDCG@10 by the id of the golden query. */
export type Gains = ReadonlyMap<string, number>

/** Runs the golden queries with each weight, without answers. Throws if part of the service failed: the figures would be too low. */
async function measureWeights(
  service: Service,
  progress: (asked: number, total: number) => void,
): Promise<ReadonlyMap<number, Gains>> {
  const measured = new Map<number, Gains>()
  for (const [i, vectorWeight] of weights.entries()) {
    const gains = new Map<string, number>()
    for (let run: string | undefined; ; ) {
      const from = run === undefined ? { answers: false } : { run }
      const { evaluate } = await again(() => ask(service, step, mutation, { ...from, vectorWeight, limit: atOnce }))
      for (const { goldenQueryId, values, degraded } of evaluate.scores) {
        if (degraded) throw new Error('part of the service failed during a query: nothing was fitted')
        const gain = values.find(({ metric }) => metric === 'ndcg@10')
        if (gain) gains.set(goldenQueryId, gain.value)
      }
      const { asked, total, report, id } = evaluate.run
      progress(i * total + asked, weights.length * total)
      if (report !== null) break
      run = id
    }
    measured.set(vectorWeight, gains)
  }
  return measured
}

interface Compared {
  weight: number
  mean: number
  /** Above the default's mean, with the half width of the paired 95 % interval. */
  above: number
  margin: number
}

interface Fit {
  compared: readonly Compared[]
  /** The weight to set: the default unless another is significantly better. */
  best: number
  queries: number
}

/** Throws where fewer than two golden queries expect a Unit. */
export function fitOf(measured: ReadonlyMap<number, Gains>): Fit {
  const base = measured.get(defaultWeight) ?? new Map<string, number>()
  const compared = [...measured].map(([weight, gains]): Compared => {
    const ids = [...gains.keys()].filter((id) => base.has(id))
    if (ids.length < 2) throw new Error('--fit takes at least two golden queries that expect a Unit')
    const differences = ids.map((id) => (gains.get(id) ?? 0) - (base.get(id) ?? 0))
    const above = mean(differences)
    const variance = differences.reduce((sum, one) => sum + (one - above) ** 2, 0) / (ids.length - 1)
    const margin = confidence95 * Math.sqrt(variance / ids.length)
    return { weight, mean: mean([...gains.values()]), above, margin }
  })
  const better = compared.filter(({ above, margin }) => above > margin)
  const best = better.toSorted((a, b) => b.mean - a.mean)[0]?.weight ?? defaultWeight
  return { compared, best, queries: base.size }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** For the terminal: each weight beside the default, and what to set. */
export function fitTable({ compared, best, queries }: Fit): string {
  const rows = compared.map(({ weight, mean, above, margin }) => [
    `${weight}`,
    mean.toFixed(3),
    weight === defaultWeight ? '' : `${above < 0 ? '' : '+'}${above.toFixed(3)} ± ${margin.toFixed(3)}`,
  ])
  const advice =
    best === defaultWeight
      ? `no weight is significantly better than the default, ${defaultWeight}`
      : `${best} is significantly better than the default, ${defaultWeight}: set VECTOR_WEIGHTS=MODEL=${best} for the model, or search with vectorWeight: ${best}`
  return `${aligned([['weight', 'ndcg@10', 'less the default'], ...rows])}\n\n${queries} queries; ${advice}`
}

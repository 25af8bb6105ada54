import { badRequest, forbidden, notFound, upgradeRequired } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import {
  type BenchmarkEntry,
  depths,
  type EvalEntry,
  type EvaluationReport,
  type EvaluationRun,
  type EvaluationSettings,
  type EvaluationSummary,
  type GoldenQuery,
  metrics,
  type QueryScores,
} from '../../model/evaluation.ts'
import type { PageRange } from '../../model/page.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { SequencedQuery } from '../../ports/catalog.ts'
import { admit, requirePermission } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Page, pageOf } from '../input/page.ts'
import { parse } from '../input/parse.ts'
import { search } from '../search/search.ts'
import { answerInput, searchInput } from '../search/search-input.ts'
import { capacity, type Turns } from '../turns/turns.ts'
import type { EvaluateInput, GoldenInput, PublishInput } from './evaluation-input.ts'
import { createGoldenQueries, deleteGoldenQueries, listGoldenQueries } from './golden-queries.ts'
import { mean, percentile, scoreAnswer, scoreRanking } from './score-query.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & Parameters<typeof search>[0]

/** The namespace's last published report, or the last service-wide one, or an empty one with the current time. */
async function publishedReport({ catalog, clock }: Deps, session: Session) {
  const published = await catalog.evaluation.published(session.namespace.id)
  const { benchmarks, evals } = published?.report ?? { benchmarks: [], evals: [] }
  return { benchmarks, evals, generatedAt: new Date(published?.finishedAt ?? clock.now()).toISOString() }
}

/**
 * Publishes the report of a finished run to everyone in the namespace. The super-admin publishes it to everyone whose
 * namespace has none. Errors: 403 except for admin principals; 404 for a run that is unknown or not finished.
 */
async function publishReport(deps: Deps, session: Session, { run, serviceWide }: PublishInput) {
  admit(session, 'publishReport')
  if (serviceWide && !session.facts.caller.superAdmin)
    throw forbidden('serviceWide: only the super-admin can publish for the whole service')
  const now = deps.clock.now()
  await deps.catalog.transact(session.namespace.id, async ({ evaluation, audit }) => {
    if (!(await evaluation.publish(run, now, serviceWide)))
      throw notFound('no such finished run: it must be an evaluation run that has finished')
    await audit(auditEntry(session, now, 'report.publish', run, { service_wide: serviceWide }))
  })
  return publishedReport(deps, session)
}

/** Maximum stored runs of a namespace. */
const maxRuns = 100
/** No further query starts after this time: a request must end before its clients time out. */
const chunkMs = 5000

/**
 * Runs the next `limit` golden queries as the caller, through normal search and answers, so under the caller's ACL.
 * Without `run` a new run begins; the run continues, call by call, until its report is complete. One call may run fewer
 * queries, but at least one. Lost, repeated or concurrent calls count each query once. Errors: 403 except for admin
 * principals, or without `read`; 402 for answers that the tier does not offer; 404 for another principal's run.
 */
async function evaluate(deps: Deps, session: Session, asked: EvaluateInput) {
  admit(session, 'evaluate')
  // Checked before a run begins that could not run any query.
  requirePermission(session, 'read', session.requestedScope)
  const run = asked.run === undefined ? await begin(deps, session, asked) : await resume(deps, session, asked.run)
  if (run.report !== null) return { run, scores: [] }
  const { evaluation } = deps.catalog
  const { id: namespaceId } = session.namespace
  const queries = await evaluation.queriesBetween(namespaceId, run.cursor, run.upTo, asked.limit)
  const done = await askAll(deps, session, { ...run, vectorWeight: asked.vectorWeight }, queries)
  // Queries that were deleted since are not waited for.
  const isWhole = done.length === queries.length && queries.length < asked.limit
  const to = isWhole ? run.upTo : (queries[done.length - 1]?.seq ?? run.upTo)
  const report = to === run.upTo ? reportOf([...run.scores, ...done]) : null
  const now = deps.clock.now()
  const advance = { id: run.id, from: run.cursor, to, scores: done, report, finishedAt: report && now }
  const isMoved = await deps.catalog.transact(namespaceId, async (tx) => {
    if (!(await tx.evaluation.advance(advance))) return false
    const detail = { queries: done.length, finished: report !== null, answers: run.answers, rerank: run.rerank }
    await tx.audit(auditEntry(session, now, 'evaluation.run', run.id, detail))
    return true
  })
  // Another call was faster: its scores are kept.
  return { run: await resume(deps, session, run.id), scores: isMoved ? done : [] }
}

async function askAll(
  deps: Deps,
  session: Session,
  settings: Parameters<typeof askQuery>[3],
  queries: readonly SequencedQuery[],
) {
  const deadline = performance.now() + chunkMs
  const done: QueryScores[] = []
  for (const query of queries) {
    if (done.length > 0 && performance.now() > deadline) break
    done.push(await askQuery(deps, session, query, settings))
  }
  return done
}

async function begin(
  { catalog, clock, random }: Deps,
  session: Session,
  { answers, rerank = false }: { answers?: boolean | undefined; rerank?: boolean | undefined },
): Promise<EvaluationRun> {
  const tier = tiers[session.namespace.tier]
  if (answers === true && !tier.answers) throw upgradeRequired('answers require', session.namespace, tier.requiredTier)
  const started = {
    id: random.id('eval'),
    principalId: session.principalId,
    scope: requestedBy(session),
    answers: answers ?? tier.answers,
    rerank,
    startedAt: clock.now(),
  }
  return catalog.transact(session.namespace.id, async ({ evaluation, audit }) => {
    const { count, last } = await evaluation.span()
    if (count === 0) throw badRequest('the namespace has no golden queries: create some first')
    await evaluation.insertRun({ ...started, total: count, upTo: last }, maxRuns)
    const detail = { queries: 0, finished: false, answers: started.answers, rerank }
    await audit(auditEntry(session, started.startedAt, 'evaluation.run', started.id, detail))
    const unscored = { cursor: 0, asked: 0, scores: [], report: null, finishedAt: null, publishedAt: null }
    return { ...started, total: count, upTo: last, ...unscored }
  })
}

/** A run belongs to one principal and scope: scores under different ACLs cannot be compared. */
async function resume({ catalog }: Deps, session: Session, id: string): Promise<EvaluationRun> {
  const run = await catalog.evaluation.run(session.namespace.id, id)
  if (!run || run.principalId !== session.principalId)
    throw notFound('no such run: it must be an evaluation run that you started')
  if (run.scope !== requestedBy(session)) throw badRequest('scope: must be the scope that the run began with')
  return run
}

const requestedBy = (session: Session) => (session.scopeWasRequested ? session.requestedScope : null)

/** All runs of the namespace, of any principal, newest first. Errors: 403 except for admin principals. */
async function listEvaluations(
  { catalog }: Deps,
  session: Session,
  range?: PageRange,
): Promise<Page<EvaluationSummary>> {
  admit(session, 'evaluationRuns')
  return pageOf(await catalog.evaluation.runs(session.namespace.id, range), range)
}

/** Runs one golden query as the session and scores the result: a deep search, and an answer as callers get it. */
async function askQuery(
  deps: Deps,
  session: Session,
  { id, q, scope, expected }: GoldenQuery,
  { answers, rerank, vectorWeight }: EvaluationSettings & Pick<EvaluateInput, 'vectorWeight'>,
): Promise<QueryScores> {
  const query = { q, rerank, vectorWeight, ...(scope !== null && { scope }) }
  const found = await search(deps, session, parse(searchInput, { ...query, topK: depths.recall }))
  const answered = answers ? await search(deps, session, parse(answerInput, query), 'answer') : null
  const isDegraded = [found, answered].some((result) => (result?.trace.degraded.length ?? 0) > 0)
  return {
    goldenQueryId: id,
    values: {
      ...scoreRanking(expected, found.hits),
      ...(answered?.answer && scoreAnswer(expected, answered.answer, answered.hits)),
    },
    searchMs: found.trace.tookMs,
    answerMs: answered?.trace.tookMs ?? null,
    degraded: isDegraded,
  }
}

/** Aggregates of a run: the same scores always give the same report. */
export function reportOf(scores: readonly QueryScores[]): EvaluationReport {
  const evals = metrics.flatMap((metric): EvalEntry[] => {
    const values = scores.flatMap(({ values }) => values[metric] ?? [])
    return values.length === 0 ? [] : [{ metric, mean: mean(values), ...bootstrap([values]), queries: values.length }]
  })
  return {
    evals,
    benchmarks: [
      ...benchmark(
        'search',
        scores.map(({ searchMs }) => searchMs),
      ),
      ...benchmark(
        'answer',
        scores.flatMap(({ answerMs }) => answerMs ?? []),
      ),
    ],
    queries: scores.length,
    degraded: scores.filter(({ degraded }) => degraded).length,
  }
}

function benchmark(operation: BenchmarkEntry['operation'], times: readonly number[]): BenchmarkEntry[] {
  if (times.length === 0) return []
  return [{ operation, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95), queries: times.length }]
}

export interface Interval {
  low: number
  high: number
}

const resamples = 2000
const confidence = 0.95
const seed = 20_261_121

/**
 * The 95 % percentile interval of the mean over collections of each one's mean over queries. The queries of each
 * collection are resampled with replacement (Efron & Tibshirani 1993). For per-query differences between two rankings
 * this is the paired bootstrap. The same scores always give the same interval.
 */
export function bootstrap(collections: readonly (readonly number[])[]): Interval {
  const random = seeded(seed)
  const drawnMean = (scores: readonly number[]) => {
    let sum = 0
    for (let i = 0; i < scores.length; i++) sum += scores[Math.floor(random() * scores.length)] ?? 0
    return sum / scores.length
  }
  const means = Float64Array.from({ length: resamples }, () => mean(collections.map(drawnMean))).sort()
  const outside = Math.round((resamples * (1 - confidence)) / 2)
  return { low: means[outside] ?? Number.NaN, high: means[resamples - 1 - outside] ?? Number.NaN }
}

/** Mulberry32: uniform numbers in [0, 1). */
export function seeded(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const createEvaluation = (deps: Deps & { turns: Turns }) => (session: Session) => ({
  goldenQueries: {
    list: (range?: PageRange) => listGoldenQueries(deps, session, range),
    create: (input: GoldenInput) => createGoldenQueries(deps, session, input),
    delete: (ids: readonly string[]) => deleteGoldenQueries(deps, session, ids),
  },
  evaluations: {
    list: (range?: PageRange) => listEvaluations(deps, session, range),
    run: (input: EvaluateInput) => deps.turns.reading(session, capacity, () => evaluate(deps, session, input)),
    publish: (input: PublishInput) => publishReport(deps, session, input),
  },
  publishedReport: () => publishedReport(deps, session),
})

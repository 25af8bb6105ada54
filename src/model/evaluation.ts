/** What a golden query expects. It may name a Unit by its own id or by its external id. */
export interface Expected {
  unitIds: readonly string[]
  externalIds: readonly string[]
  answers: readonly string[]
}

/** A query with known correct results. */
export interface GoldenQuery {
  id: string
  q: string
  /** The scope to search, unless the run sets one; null for the principal's default. */
  scope: string | null
  expected: Expected
  /** Epoch milliseconds. */
  createdAt: number
}

/** How deep rankings are evaluated: nDCG at the usual depth, the rest as deep as a search returns. */
export const depths = { ndcg: 10, recall: 50 } as const

/** The metrics of a query, each 0..1, in the order of reports. */
export const metrics = [
  'ndcg@10',
  'recall@50',
  'mrr@50',
  'answered',
  'citation_precision',
  'faithfulness',
  'answer_recall',
] as const
export type Metric = (typeof metrics)[number]

/** The results of one query in a run. */
export interface QueryScores {
  goldenQueryId: string
  /** Without metrics that do not apply to it. */
  values: Readonly<Partial<Record<Metric, number>>>
  searchMs: number
  /** Null when no answer was requested. */
  answerMs: number | null
  /** Part of the service failed during the query. */
  degraded: boolean
}

/** A metric's mean over the queries that it applies to, with the 95 % bootstrap interval. */
export interface EvalEntry {
  metric: Metric
  mean: number
  low: number
  high: number
  queries: number
}

/** The time inside the service, without the network, in milliseconds. */
export interface BenchmarkEntry {
  operation: 'search' | 'answer'
  p50Ms: number
  p95Ms: number
  queries: number
}

/** Aggregates only: no text, no id. */
export interface EvaluationReport {
  evals: readonly EvalEntry[]
  benchmarks: readonly BenchmarkEntry[]
  queries: number
  /** The number of queries during which part of the service failed. */
  degraded: number
}

export interface EvaluationSettings {
  /** Answers are requested too. */
  answers: boolean
  rerank: boolean
}

/** One principal runs golden queries, a few at a time. Times are epoch milliseconds. */
export interface EvaluationSummary extends EvaluationSettings {
  id: string
  principalId: string
  /** The scope that header or query named when it began; null for none. */
  scope: string | null
  /** The number of golden queries when it began. */
  total: number
  /** The seq of the last golden query at that time. */
  upTo: number
  /** The seq of the last query that is scored. */
  cursor: number
  /** The number of scored queries. */
  asked: number
  /** Present when all are scored. */
  report: EvaluationReport | null
  startedAt: number
  finishedAt: number | null
  publishedAt: number | null
}

export interface EvaluationRun extends EvaluationSummary {
  scores: readonly QueryScores[]
}

/** What a golden query expects. A Unit may be named by its own id or by the one that it was ingested under. */
export interface Expected {
  unitIds: readonly string[]
  externalIds: readonly string[]
  answers: readonly string[]
}

/** A query whose right results are known. */
export interface GoldenQuery {
  id: string
  q: string
  /** Where it asks, unless the run asks for a scope; null for where the principal would. */
  scope: string | null
  expected: Expected
  /** Epoch milliseconds. */
  createdAt: number
}

/** How deep rankings are looked at: nDCG as is usual, the rest as deep as a search goes. */
export const depths = { ndcg: 10, recall: 50 } as const

/** What is measured of a query, each 0..1, and in which order reports show it. */
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

/** One query's part in a run. */
export interface QueryScores {
  goldenQueryId: string
  /** Without those that it says nothing about. */
  values: Readonly<Partial<Record<Metric, number>>>
  searchMs: number
  /** Null where no answer was asked for. */
  answerMs: number | null
  /** Part of the service failed while it was asked. */
  degraded: boolean
}

/** A metric's mean over the queries that it says something about, with the 95 % bootstrap interval. */
export interface EvalEntry {
  metric: Metric
  mean: number
  low: number
  high: number
  queries: number
}

/** How long the service took, without the way to it, in milliseconds. */
export interface BenchmarkEntry {
  operation: 'search' | 'answer'
  p50Ms: number
  p95Ms: number
  queries: number
}

/** Aggregates alone: no text, no id. */
export interface EvaluationReport {
  evals: readonly EvalEntry[]
  benchmarks: readonly BenchmarkEntry[]
  queries: number
  /** Queries during which part of the service failed. */
  degraded: number
}

export interface EvaluationSettings {
  /** Answers are asked for, too. */
  answers: boolean
  rerank: boolean
}

/** Golden queries asked, some at a time, by one principal. Times are epoch milliseconds. */
export interface EvaluationSummary extends EvaluationSettings {
  id: string
  principalId: string
  /** What header or query asked for when it began; null for nothing. */
  scope: string | null
  /** Golden queries when it began. */
  total: number
  /** Of the last golden query then. */
  upTo: number
  /** Of the last one that is scored. */
  cursor: number
  /** How many are scored. */
  asked: number
  /** Once all are scored. */
  report: EvaluationReport | null
  startedAt: number
  finishedAt: number | null
  publishedAt: number | null
}

export interface EvaluationRun extends EvaluationSummary {
  scores: readonly QueryScores[]
}

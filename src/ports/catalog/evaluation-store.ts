import type {
  EvaluationReport,
  EvaluationRun,
  EvaluationSummary,
  GoldenQuery,
  QueryScores,
} from '../../model/evaluation.ts'
import type { Listed, PageRange } from '../../model/page.ts'

export interface SequencedQuery extends GoldenQuery {
  seq: number
}

/** A list without a range is whole. */
export interface EvaluationReader {
  /** In the order in which they were first written. */
  queries(namespaceId: string, range?: PageRange): Promise<Listed<GoldenQuery>>
  /** Those with a seq above `above` and up to `upTo`, ascending. */
  queriesBetween(namespaceId: string, above: number, upTo: number, limit: number): Promise<SequencedQuery[]>
  /** Newest first. */
  runs(namespaceId: string, range?: PageRange): Promise<Listed<EvaluationSummary>>
  run(namespaceId: string, id: string): Promise<EvaluationRun | null>
  /** The namespace's last published report, or the last service-wide one, or null. */
  published(namespaceId: string): Promise<PublishedReport | null>
}

export interface PublishedReport {
  report: EvaluationReport
  /** Epoch milliseconds. */
  finishedAt: number
}

/** The result of one chunk of a run. */
export interface Advance {
  id: string
  from: number
  to: number
  /** Results of the queries of this chunk; they are added to the others. */
  scores: readonly QueryScores[]
  report: EvaluationReport | null
  finishedAt: number | null
}

/** Writes of golden queries and of their runs, in a transaction of their namespace. */
export interface EvaluationWriter {
  /** Writes them in order. An existing id is replaced. The ids must be distinct. */
  putQueries(queries: readonly GoldenQuery[]): Promise<{ created: number; updated: number }>
  /** Returns the number of removed queries. */
  removeQueries(ids: readonly string[]): Promise<number>
  /** The number of queries, and the last one's seq (0 for none). */
  span(): Promise<{ count: number; last: number }>
  /** Removes runs older than the latest `keep`, except the last published one and those published service-wide. */
  insertRun(
    run: Omit<EvaluationRun, 'cursor' | 'asked' | 'scores' | 'report' | 'finishedAt' | 'publishedAt'>,
    keep: number,
  ): Promise<void>
  /** False, and nothing is written, when the run is no longer at `from`. */
  advance(advance: Advance): Promise<boolean>
  /** False when no such finished run exists. */
  publish(id: string, now: number, serviceWide: boolean): Promise<boolean>
}

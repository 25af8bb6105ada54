import type {
  EvaluationReport,
  EvaluationRun,
  EvaluationSummary,
  GoldenQuery,
  QueryScores,
} from '../model/evaluation.ts'

export interface SequencedQuery extends GoldenQuery {
  seq: number
}

export interface EvaluationReader {
  /** In the order in which they were first written, by offset; `count` is of all. */
  queries(namespaceId: string, offset: number, limit: number): Promise<{ queries: GoldenQuery[]; count: number }>
  /** Those with a seq above `above` and up to `upTo`, ascending. */
  queriesBetween(namespaceId: string, above: number, upTo: number, limit: number): Promise<SequencedQuery[]>
  /** Newest first. */
  runs(namespaceId: string): Promise<EvaluationSummary[]>
  run(namespaceId: string, id: string): Promise<EvaluationRun | null>
  /** The namespace's last published report, else the last service-wide one, else null. */
  published(namespaceId: string): Promise<PublishedReport | null>
}

export interface PublishedReport {
  report: EvaluationReport
  /** Epoch milliseconds. */
  finishedAt: number
}

/** What a chunk of a run leads to. */
export interface Advance {
  id: string
  from: number
  to: number
  /** Of the queries in between; they are added to the others. */
  scores: readonly QueryScores[]
  report: EvaluationReport | null
  finishedAt: number | null
}

/** Writes of golden queries and of their runs, in a transaction of their namespace. */
export interface EvaluationWriter {
  /** Writes them in order; one with an id that is there replaces what that one expects. The ids must be distinct. */
  putQueries(queries: readonly GoldenQuery[]): Promise<{ created: number; updated: number }>
  /** Returns how many there were. */
  removeQueries(ids: readonly string[]): Promise<number>
  /** How many there are now, and the last one's seq (0 for none). */
  span(): Promise<{ count: number; last: number }>
  /** Runs beyond the latest `keep` go, except for the last published one and those published service-wide. */
  insertRun(
    run: Omit<EvaluationRun, 'cursor' | 'asked' | 'scores' | 'report' | 'finishedAt' | 'publishedAt'>,
    keep: number,
  ): Promise<void>
  /** False, and nothing is written, when the run has left `from` meanwhile. */
  advance(advance: Advance): Promise<boolean>
  /** False when there is no such finished run. */
  publish(id: string, now: number, serviceWide: boolean): Promise<boolean>
}

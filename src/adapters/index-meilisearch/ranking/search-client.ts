import type { Question, WeightedQuestion } from './questions.ts'

/** A Unit as Meilisearch lists it. */
interface Found {
  id: string
  unit_id: string
  length: number
  /** As in text-fields.ts. */
  bag: string
}

/** What holds something: how many, or which, and how many of each class of lengths. */
interface Result {
  ids: string[]
  count: number
  lengthClasses: Readonly<Record<string, number>>
}

/** Asks Meilisearch under the filter of one search. */
export interface SearchClient {
  /** A result for each question. */
  each(questions: readonly Question[]): Promise<Result[]>
  /** One list of all, each Unit once. */
  merged(questions: readonly WeightedQuestion[], limit: number): Promise<Found[]>
}

import type { Question, WeightedQuestion } from './questions.ts'

/** A Unit as Meilisearch lists it. */
interface Found {
  id: string
  unit_id: string
  length: number
  /** As in text-fields.ts. */
  bag: string
}

/** The Units that contain it: how many, which, and how many in each class of lengths. */
interface Result {
  ids: string[]
  count: number
  lengthClasses: Readonly<Record<string, number>>
}

/** Queries Meilisearch under the filter of one search. */
export interface SearchClient {
  /** One result per question. */
  each(questions: readonly Question[]): Promise<Result[]>
  /** One merged list, each Unit once. */
  merged(questions: readonly WeightedQuestion[], limit: number): Promise<Found[]>
}

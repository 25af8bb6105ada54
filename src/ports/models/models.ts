import type { AnswerWriter } from './answer-writer.ts'
import type { Entailment } from './entailment.ts'
import type { Inference } from './inference.ts'
import type { Reranker } from './reranker.ts'
import type { StepPlanner } from './step-planner.ts'

/** One of each, from one provider or several. */
export interface Models {
  inference: Inference
  reranker: Reranker
  writer: AnswerWriter
  entailment: Entailment
  /** Null: rules plan the steps of an answer. */
  planner: StepPlanner | null
}

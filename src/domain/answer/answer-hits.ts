import type { Answer, AnswerStep, AnswerTrace } from '../../model/answer.ts'
import type { Hit } from '../../model/search.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Deadlines } from '../deadlines/deadlines.ts'
import { compose } from './compose.ts'
import { confidenceOf } from './confidence.ts'
import { passagesOf } from './passages.ts'
import { judge, write } from './with-fallbacks.ts'

type Deps = Pick<Bindings, 'writer' | 'entailment' | 'fallbacks' | 'analysis' | 'log'>

export interface Answered {
  answer: Answer
  trace: AnswerTrace
  /** Stages whose provider failed: the built-in one replaced it, or there is no answer. */
  degraded: string[]
}

/** What an answer rests on. */
export interface AnswerContext {
  /** Those of the question's own search first. */
  hits: readonly Hit[]
  /** How many of them are of the question's own search. */
  own: number
  steps: AnswerStep[]
}

/** Always the same text, so that it reveals nothing about the hits. */
const abstention = 'What was retrieved does not answer this.'

/**
 * Answers only from these hits: they are what the caller may see. Below `minConfidence`, 0..1, it abstains; without one
 * the writer decides.
 */
export async function answerHits(
  deps: Deps,
  question: string,
  { hits, own, steps }: AnswerContext,
  deadlines: Deadlines,
  minConfidence?: number,
): Promise<Answered> {
  const started = performance.now()
  const passages = passagesOf(hits, own)
  const written = await write(deps, question, passages, deadlines.forWriting(), minConfidence)
  const judged = await judge(deps, written.statements, passages, deadlines.forJudging())
  const confidence = confidenceOf(deps.analysis, question, passages, judged.kept)
  const kept = (confidence ?? 0) < (minConfidence ?? 0) ? [] : judged.kept
  const scores = kept.map(({ faithfulness }) => faithfulness)
  const abstained = kept.length === 0
  const answer: Answer = {
    ...(abstained ? { text: abstention, sentences: [], citations: [] } : await compose(kept, passages)),
    nliFaithfulness: abstained ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
    confidence: abstained ? null : confidence,
    faithfulness: { method: judged.method, min: abstained ? null : Math.min(...scores), unsupported: [] },
    abstained,
    model: written.model,
  }
  return {
    answer,
    trace: {
      passages: passages.length,
      removed: written.removed + judged.removed,
      steps,
      tookMs: performance.now() - started,
    },
    degraded: [...(written.failed ? ['answer'] : []), ...(judged.failed ? ['entailment'] : [])],
  }
}

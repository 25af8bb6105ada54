import type { Answer, AnswerTrace } from '../../model/answer.ts'
import type { Hit } from '../../model/search.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Deadlines } from '../deadlines/deadlines.ts'
import { compose } from './compose.ts'
import { passagesOf } from './passages.ts'
import { judge, write } from './with-fallbacks.ts'

type Deps = Pick<Bindings, 'writer' | 'entailment' | 'fallbacks' | 'log'>

export interface Answered {
  answer: Answer
  trace: AnswerTrace
  /** Stages whose provider failed: the built-in one replaced it, or there is no answer. */
  degraded: ('answer' | 'entailment')[]
}

/** Always the same text, so that it reveals nothing about the hits. */
const abstention = 'What was retrieved does not answer this.'

/** Answers only from these hits: they are what the caller may see. */
export async function answerHits(
  deps: Deps,
  question: string,
  hits: readonly Hit[],
  deadlines: Deadlines,
): Promise<Answered> {
  const started = performance.now()
  const passages = passagesOf(hits)
  const written = await write(deps, question, passages, deadlines.forWriting())
  const judged = await judge(deps, written.statements, passages, deadlines.forJudging())
  const { kept } = judged
  const scores = kept.map(({ faithfulness }) => faithfulness)
  const abstained = kept.length === 0
  const answer: Answer = {
    ...(abstained ? { text: abstention, citations: [] } : compose(kept, passages)),
    nliFaithfulness: abstained ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
    faithfulness: { method: judged.method, min: abstained ? null : Math.min(...scores), unsupported: [] },
    abstained,
    model: written.model,
  }
  return {
    answer,
    trace: {
      passages: passages.length,
      removed: written.removed + judged.removed,
      tookMs: performance.now() - started,
    },
    degraded: [...(written.failed ? ['answer' as const] : []), ...(judged.failed ? ['entailment' as const] : [])],
  }
}

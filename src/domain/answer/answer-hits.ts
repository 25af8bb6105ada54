import type { Answer, AnswerTrace } from '../../model/answer.ts'
import type { Hit } from '../../model/search.ts'
import type { AnswerWriter } from '../../ports/answer-writer.ts'
import type { Entailment } from '../../ports/entailment.ts'
import type { Log } from '../../ports/log.ts'
import { type Checked, check } from './check.ts'
import { compose } from './compose.ts'
import { passagesOf } from './passages.ts'

interface Deps {
  writer: AnswerWriter
  entailment: Entailment
  log: Log
}

export interface Answered {
  answer: Answer
  trace: AnswerTrace
  /** A provider failed, so there is no answer. */
  failed: boolean
}

/** The same whatever was found, so that it tells nothing. */
const abstention = 'What was retrieved does not answer this.'

/** Answers from these hits alone: they are what the caller may see. */
export async function answerHits(deps: Deps, question: string, hits: readonly Hit[]): Promise<Answered> {
  const started = performance.now()
  const { writer, entailment, log } = deps
  const passages = passagesOf(hits)
  let kept: Checked[] = []
  let removed = 0
  let failed = false
  try {
    const statements = passages.length === 0 ? [] : await writer.write(question, passages)
    ;({ kept, removed } = await check(entailment, statements, passages))
  } catch (error) {
    log.warn({ err: error, model: writer.model }, 'no answer could be written')
    failed = true
  }
  const scores = kept.map(({ faithfulness }) => faithfulness)
  const abstained = kept.length === 0
  const answer: Answer = {
    ...(abstained ? { text: abstention, citations: [] } : compose(kept, passages)),
    nliFaithfulness: abstained ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
    faithfulness: { method: entailment.method, min: abstained ? null : Math.min(...scores), unsupported: [] },
    abstained,
    model: writer.model,
  }
  return { answer, trace: { passages: passages.length, removed, tookMs: performance.now() - started }, failed }
}

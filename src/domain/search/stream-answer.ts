import type { AnswerSentence } from '../../model/answer.ts'
import type { SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { holdIn, type Turns, weightOfQuery } from '../turns/turns.ts'
import { answerFound } from './answer-found.ts'
import { admitSearch, find, type SearchAnswer, type SearchDeps } from './find.ts'

/** The hits, then each sentence that passed, then the whole. */
export type AnswerEvent =
  | { kind: 'searched'; result: SearchAnswer }
  | ({ kind: 'sentence' } & AnswerSentence)
  | { kind: 'finished'; result: SearchAnswer }

export type StreamDeps = SearchDeps & { turns: Turns }

/**
 * The answer of `answer`, as it is made. It is counted and recorded once, even if nobody reads to its end. Throws 403
 * and 402 at once; other errors end the stream.
 */
export function streamAnswer(deps: StreamDeps, session: Session, query: SearchQuery): AsyncGenerator<AnswerEvent> {
  return stream(deps, admitSearch(session, 'answer', query), query)
}

async function* stream(deps: StreamDeps, bound: Session, query: SearchQuery): AsyncGenerator<AnswerEvent> {
  const inTurn = <T>(work: () => Promise<T>) => deps.turns.reading(bound, weightOfQuery(query), work)
  const found = await inTurn(() => find(deps, bound, query))
  const answering = inTurn(async () => {
    const answered = await answerFound(deps, found)
    await found.record(answered)
    return answered
  })
  // A reader that leaves after the hits does not wait for it.
  answering.catch(() => {})
  const result = found.result(null)
  if (bound.facts.room) holdIn(bound.facts.room, result)
  yield { kind: 'searched', result }
  const answered = await answering
  // All were judged together: a judge that fails halfway must not leave sentences that its replacement rejects.
  for (const sentence of answered.answer.sentences) yield { kind: 'sentence', ...sentence }
  yield { kind: 'finished', result: found.result(answered) }
}

import type { AnswerStep, AnswerTrace } from '../../../model/answer.ts'
import type { LegTrace, SearchTrace } from '../../../model/search.ts'
import { builder } from '../../builder/builder.ts'
import { PlaneEnum } from '../common/enums.ts'

const LegTraceRef = builder.objectRef<LegTrace>('LegTrace').implement({
  description: 'One leg of a search.',
  fields: (t) => ({
    leg: t.exposeString('leg', { description: 'The leg, such as `text` or `vector:audio`.' }),
    engine: t.exposeString('engine', { description: 'The engine that answered.' }),
    candidates: t.exposeInt('candidates', { description: 'Number of visible candidates.' }),
    tookMs: t.exposeFloat('tookMs', { description: 'Milliseconds.' }),
  }),
})

const FusionTraceRef = builder.objectRef<SearchTrace['fusion']>('FusionTrace').implement({
  description: 'How the scores of the legs were combined.',
  fields: (t) => ({
    method: t.exposeString('method', { description: 'The method.' }),
    weights: t.expose('weights', { type: 'JSON', description: 'The weight of each leg.' }),
  }),
})

const AnswerStepRef = builder.objectRef<AnswerStep>('AnswerStep').implement({
  description: 'One search of an answer.',
  fields: (t) => ({
    query: t.exposeString('query', { description: 'What was searched: the question, or a sub-question.' }),
    hits: t.exposeInt('hits', { description: 'Number of Units that it found.' }),
    kept: t.exposeInt('kept', { description: 'How many new ones of them the answer could rest on.' }),
    tookMs: t.exposeFloat('tookMs', { description: 'Milliseconds.' }),
  }),
})

const AnswerTraceRef = builder.objectRef<AnswerTrace>('AnswerTrace').implement({
  description: 'How an answer was made.',
  fields: (t) => ({
    passages: t.exposeInt('passages', { description: 'Number of passages given to the writer.' }),
    removed: t.exposeInt('removed', { description: 'Number of sentences removed because no citation supports them.' }),
    steps: t.expose('steps', { type: [AnswerStepRef], description: "The searches, the question's own first." }),
    tookMs: t.exposeFloat('tookMs', { description: 'Milliseconds.' }),
  }),
})

export const TraceRef = builder.objectRef<SearchTrace>('SearchTrace').implement({
  description: 'How a search result was made.',
  fields: (t) => ({
    requestId: t.exposeString('requestId', { description: 'The `X-Request-Id`.' }),
    planes: t.expose('planes', { type: [PlaneEnum], description: 'Planes searched.' }),
    clampedPlanes: t.expose('clampedPlanes', {
      type: [PlaneEnum],
      description: 'Requested planes that the tier, key or scope does not enable.',
    }),
    legs: t.expose('legs', { type: [LegTraceRef], description: 'The legs that answered.' }),
    fusion: t.expose('fusion', { type: FusionTraceRef, description: 'How the scores of the legs were combined.' }),
    rerank: t.exposeString('rerank', { description: 'The reranker that ran, or why none did.' }),
    answer: t.expose('answer', { type: AnswerTraceRef, nullable: true, description: 'How the answer was made.' }),
    seq: t.expose('seq', { type: 'SafeInt', description: "The namespace's latest seq." }),
    indexSeq: t.expose('indexSeq', { type: 'SafeInt', description: 'The latest seq in the indexes.' }),
    degraded: t.exposeStringList('degraded', {
      description:
        'Parts that failed. Failed legs and `rerank` were left out. For `answer` (writing) and `entailment` (checking) the built-in models were used. With `steps` a further search of an answer failed, or its planning, which rules replaced. With `ranking:builtin-vectors` all other legs failed, and the ranking is much worse.',
    }),
    tookMs: t.exposeFloat('tookMs', { description: 'Milliseconds.' }),
  }),
})

import type { AnswerTrace } from '../../../model/answer.ts'
import type { LegTrace, SearchTrace } from '../../../model/search.ts'
import { builder } from '../../builder/builder.ts'
import { PlaneEnum } from '../common/enums.ts'

const LegTraceRef = builder.objectRef<LegTrace>('LegTrace').implement({
  description: 'One leg of a search.',
  fields: (t) => ({
    leg: t.exposeString('leg', { description: 'The leg, such as `text` or `vector:audio`.' }),
    engine: t.exposeString('engine', { description: 'The engine that answered.' }),
    candidates: t.exposeInt('candidates', { description: 'How many visible candidates it proposed.' }),
    tookMs: t.exposeFloat('tookMs', { description: 'Milliseconds.' }),
  }),
})

const FusionTraceRef = builder.objectRef<SearchTrace['fusion']>('FusionTrace').implement({
  description: 'How the legs were put together.',
  fields: (t) => ({
    method: t.exposeString('method', { description: 'The method.' }),
    weights: t.expose('weights', { type: 'JSON', description: 'The weight of each leg.' }),
  }),
})

const AnswerTraceRef = builder.objectRef<AnswerTrace>('AnswerTrace').implement({
  description: 'How an answer came about.',
  fields: (t) => ({
    passages: t.exposeInt('passages', { description: 'Texts that it was written from.' }),
    removed: t.exposeInt('removed', { description: 'Sentences that were removed, as nothing cited supports them.' }),
    tookMs: t.exposeFloat('tookMs', { description: 'Milliseconds.' }),
  }),
})

export const TraceRef = builder.objectRef<SearchTrace>('SearchTrace').implement({
  description: 'How a search result came about.',
  fields: (t) => ({
    requestId: t.exposeString('requestId', { description: 'As in `X-Request-Id`.' }),
    planes: t.expose('planes', { type: [PlaneEnum], description: 'Planes searched.' }),
    clampedPlanes: t.expose('clampedPlanes', {
      type: [PlaneEnum],
      description: 'Planes asked for that tier, key or scope close.',
    }),
    legs: t.expose('legs', { type: [LegTraceRef], description: 'The legs that answered.' }),
    fusion: t.expose('fusion', { type: FusionTraceRef, description: 'How they were put together.' }),
    rerank: t.exposeString('rerank', { description: 'The reranker that ran, or why none did.' }),
    answer: t.expose('answer', { type: AnswerTraceRef, nullable: true, description: 'How the answer came about.' }),
    seq: t.expose('seq', { type: 'SafeInt', description: "The namespace's latest seq." }),
    indexSeq: t.expose('indexSeq', { type: 'SafeInt', description: 'The seq that the indexes have reached.' }),
    degraded: t.exposeStringList('degraded', {
      description:
        'What failed: legs and `rerank`, left out; `answer` (writing) and `entailment` (judging), done by the built-in ones where a provider was to; `ranking:builtin-vectors` where every leg that ranks failed and hashed vectors alone order the hits, far worse.',
    }),
    tookMs: t.exposeFloat('tookMs', { description: 'Milliseconds.' }),
  }),
})

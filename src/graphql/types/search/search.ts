import type { SearchAnswer } from '../../../domain/search/search.ts'
import type { AnswerStep, AnswerTrace } from '../../../model/answer.ts'
import type { Hit, LegExplanation, LegTrace, SearchTrace } from '../../../model/search.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { ContextRef } from '../access/context.ts'
import { PlaneEnum } from '../common/enums.ts'
import { UnitFacts } from '../units/unit.ts'
import { AnswerRef } from './answer.ts'

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

const TraceRef = builder.objectRef<SearchTrace>('SearchTrace').implement({
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

const HighlightRef = builder.objectRef<Hit['highlights'][number]>('Highlight').implement({
  description: 'Position of a query word in the text of a hit: UTF-16 offsets, end exclusive.',
  fields: (t) => ({
    start: t.exposeInt('start', { description: 'First offset.' }),
    end: t.exposeInt('end', { description: 'Offset after the last character.' }),
  }),
})

const LegExplanationRef = builder.objectRef<LegExplanation>('LegExplanation').implement({
  description: 'How one leg of the search saw a hit.',
  fields: (t) => ({
    leg: t.exposeString('leg', { description: 'The leg, such as `text` or `vector:audio`.' }),
    rank: t.exposeInt('rank', { description: 'Its rank in this leg, from 1.' }),
    score: t.exposeFloat('score', { description: 'The score of the engine: BM25 or cosine.' }),
    normalized: t.exposeFloat('normalized', { description: 'The score scaled to 0..1 among visible candidates.' }),
    weight: t.exposeFloat('weight', { description: "The leg's weight in the fusion." }),
  }),
})

const HitRef = builder.objectRef<Hit>('Hit').implement({
  description: 'A found Unit, and why it was found.',
  interfaces: [UnitFacts],
  fields: (t) => ({
    score: t.exposeFloat('score', { description: '0..1.' }),
    rank: t.exposeInt('rank', { description: 'The rank, from 1.' }),
    textStart: t.exposeInt('textStart', {
      description:
        "UTF-16 offset of `text` in the Unit's text. If the text is longer than 16 KiB, a hit has only its best passage; `unit` has all of it.",
    }),
    highlights: t.expose('highlights', { type: [HighlightRef], description: 'Matching words, at most 100.' }),
    explain: t.expose('explain', { type: [LegExplanationRef], description: 'The legs of the search that found it.' }),
    reasons: t.exposeStringList('reasons', {
      description: 'The same in words: by which words it was found, how near its meaning is, or why that was not used.',
    }),
  }),
})

export const SearchResultRef = builder.objectRef<SearchAnswer>('SearchResult').implement({
  description: 'The result of a search.',
  fields: (t) => ({
    hits: t.expose('hits', { type: [HitRef], description: 'Best first.' }),
    answer: t.expose('answer', {
      type: AnswerRef,
      nullable: true,
      description: 'Null unless an answer was requested.',
    }),
    trace: t.expose('trace', { type: TraceRef, description: 'How the result was made.' }),
    context: t.expose('context', { type: ContextRef, description: 'The enforcement context.' }),
    hiddenByAcl: t.exposeInt('hiddenByAcl', {
      description:
        'How many of the `topK` hits that a caller without access limits would get for `q` alone, in the same scopes and planes, are hidden from this one. No other field of the query changes it. `hiddenCount` of the namespace and of the key can limit it to 0 or 1, or to 0.',
    }),
  }),
})

builder.queryFields((t) => ({
  search: t.field({
    type: SearchResultRef,
    ...runs('search', (query, services) => services.search(query)),
  }),
  answer: t.field({
    type: SearchResultRef,
    ...runs('answer', (query, services) => services.answer(query)),
  }),
}))

import type { SearchAnswer } from '../../../domain/search/search.ts'
import type { Hit, LegExplanation } from '../../../model/search.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { ContextRef } from '../access/context.ts'
import { UnitFacts } from '../units/unit.ts'
import { AnswerRef } from './answer.ts'
import { SearchInput } from './search-input.ts'
import { TraceRef } from './search-trace.ts'

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
    args: { input: t.arg({ type: SearchInput, required: true, description: 'The query.' }) },
    ...runs('search', (query, services) => services.search(query)),
  }),
  answer: t.field({
    type: SearchResultRef,
    args: { input: t.arg({ type: SearchInput, required: true, description: 'The question.' }) },
    ...runs('answer', (query, services) => services.answer(query)),
  }),
}))

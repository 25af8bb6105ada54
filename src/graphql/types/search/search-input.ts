import { builder } from '../../builder/builder.ts'
import { PlaneEnum } from '../common/enums.ts'
import { SearchFiltersInput } from '../common/filters.ts'

const QueryVectorsInput = builder.inputType('QueryVectorsInput', {
  description: "The caller's own query embeddings, by plane.",
  fields: (t) => ({
    text: t.field({ type: 'Vector', description: 'For the plane `text`.' }),
    visual: t.field({ type: 'Vector', description: 'For the plane `visual`.' }),
    audio: t.field({ type: 'Vector', description: 'For the plane `audio`.' }),
    docVisual: t.field({ type: 'Vector', description: 'For the plane `doc_visual`.' }),
  }),
})

const TurnInput = builder.inputType('TurnInput', {
  description: 'An earlier question and its answer.',
  fields: (t) => ({
    q: t.string({ required: true, description: 'The question.' }),
    answer: t.string({ required: true, description: 'The answer. It is never evidence.' }),
  }),
})

export const SearchInput = builder.inputType('SearchInput', {
  description: 'A search query.',
  fields: (t) => ({
    q: t.string({
      required: true,
      description: 'The query. It may only be empty with `vector` or `filters`.',
    }),
    language: t.string({
      description:
        'Of the query, as a BCP 47 tag. Default: detected. Words match texts of every language by their stems.',
      extensions: { graphqlOnly: true },
    }),
    topK: t.int({ description: 'How many hits.' }),
    planes: t.field({
      type: [PlaneEnum],
      description: 'Planes to search. Default: all. Planes that are not enabled are left out.',
    }),
    rerank: t.boolean({ description: 'Whether to rerank. Ignored if the tier does not include it.' }),
    filters: t.field({ type: SearchFiltersInput, description: 'Conditions on Units.' }),
    answer: t.boolean({ description: 'Whether to add an answer from the hits. Not every tier includes answers.' }),
    agentic: t.boolean({ description: 'Whether an answer may search in several steps.' }),
    maxSteps: t.int({ description: 'How many searches an answer may make, with the first.' }),
    history: t.field({
      type: [TurnInput],
      description: 'Earlier turns, oldest first. They only help an answer to understand the question.',
    }),
    scope: t.string({ description: 'The scope to search, unless header or query name one; `*` is all allowed.' }),
    vector: t.field({ type: QueryVectorsInput, description: 'Your own query embeddings.' }),
    minConfidence: t.float({
      description: 'Withholds an answer that is less likely to be right. By default the writer decides.',
    }),
    minScore: t.float({ description: 'Leaves out hits with a lower score.' }),
    diversity: t.float({
      description:
        'How much the hits should differ from each other: hits are chosen from the best 50, and `score` no longer falls from hit to hit. 0 is by score alone.',
      extensions: { graphqlOnly: true },
    }),
    vectorWeight: t.float({
      description: 'The weight of vectors in the fusion, instead of the default or that of their model.',
      extensions: { graphqlOnly: true },
    }),
  }),
})

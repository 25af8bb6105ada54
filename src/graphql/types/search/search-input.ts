import { builder } from '../../builder/builder.ts'
import { ModalityEnum, PlaneEnum } from '../common/enums.ts'

const TimeRangeInput = builder.inputType('TimeRangeInput', {
  description: 'Units whose `time_range` locator overlaps this one.',
  fields: (t) => ({
    tStartMs: t.field({ type: 'SafeInt', required: true, description: 'First millisecond.' }),
    tEndMs: t.field({ type: 'SafeInt', required: true, description: 'Last millisecond.' }),
  }),
})

const SearchFiltersInput = builder.inputType('SearchFiltersInput', {
  description: 'Conditions that must all match. A list matches if any of its values does.',
  fields: (t) => ({
    modality: t.field({ type: [ModalityEnum], description: 'Modalities.' }),
    docId: t.stringList({ description: 'Documents.' }),
    externalId: t.stringList({ description: "The writers' own ids." }),
    sourceUri: t.stringList({ description: 'Raw sources.' }),
    mime: t.stringList({ description: 'Content types.' }),
    aclOwner: t.stringList({ description: 'Owners.' }),
    createdAfter: t.field({ type: 'SafeInt', description: 'Epoch milliseconds, inclusive.' }),
    createdBefore: t.field({ type: 'SafeInt', description: 'Epoch milliseconds, inclusive.' }),
    metadata: t.field({ type: 'JSON', description: '`{key: value | [values] | {gte, lte}}`.' }),
    timeRange: t.field({ type: TimeRangeInput, description: 'Time range that must overlap.' }),
  }),
})

const QueryVectorsInput = builder.inputType('QueryVectorsInput', {
  description: "The caller's own query embeddings, by plane.",
  fields: (t) => ({
    text: t.field({ type: 'Vector', description: 'For the plane `text`.' }),
    visual: t.field({ type: 'Vector', description: 'For the plane `visual`.' }),
    audio: t.field({ type: 'Vector', description: 'For the plane `audio`.' }),
    docVisual: t.field({ type: 'Vector', description: 'For the plane `doc_visual`.' }),
  }),
})

export const SearchInput = builder.inputType('SearchInput', {
  description: 'A search query.',
  fields: (t) => ({
    q: t.string({
      required: true,
      description: 'The query. It may only be empty with `vector` or `filters`.',
    }),
    topK: t.int({ description: 'How many hits.' }),
    planes: t.field({
      type: [PlaneEnum],
      description: 'Planes to search. Default: all. Planes that are not enabled are left out.',
    }),
    rerank: t.boolean({ description: 'Whether to rerank. Ignored if the tier does not include it.' }),
    filters: t.field({ type: SearchFiltersInput, description: 'Conditions on Units.' }),
    answer: t.boolean({ description: 'Whether to add an answer from the hits. Not every tier includes answers.' }),
    scope: t.string({ description: 'The scope to search, unless header or query name one; `*` is all allowed.' }),
    vector: t.field({ type: QueryVectorsInput, description: 'Your own query embeddings.' }),
    minScore: t.float({ description: 'Leaves out hits with a lower score.' }),
  }),
})

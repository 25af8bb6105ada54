import { builder } from '../../builder/builder.ts'
import { ModalityEnum } from './enums.ts'

const TimeRangeInput = builder.inputType('TimeRangeInput', {
  description: 'Units whose `time_range` locator overlaps this one.',
  fields: (t) => ({
    tStartMs: t.field({ type: 'SafeInt', required: true, description: 'First millisecond.' }),
    tEndMs: t.field({ type: 'SafeInt', required: true, description: 'Last millisecond.' }),
  }),
})

export const SearchFiltersInput = builder.inputType('SearchFiltersInput', {
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

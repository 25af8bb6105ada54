import type { FacetsView } from '../../../domain/docs/read-docs.ts'
import type { Facet } from '../../../model/doc.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { ContextRef } from '../access/context.ts'

const FacetValueRef = builder.objectRef<Facet['values'][number]>('FacetValue').implement({
  description: 'A value of a field, and how many Units have it.',
  fields: (t) => ({
    value: t.expose('value', { type: 'JSON', description: 'As filters take it. Times are epoch milliseconds.' }),
    count: t.exposeInt('count', { description: 'Units with this value.' }),
  }),
})

const FacetRef = builder.objectRef<Facet>('Facet').implement({
  description: 'The values of a field. A list counts for each of its values.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The field.' }),
    values: t.expose('values', {
      type: [FacetValueRef],
      description: 'The most frequent first, equal ones by value. Values of more than 512 bytes are left out.',
    }),
    other: t.exposeInt('other', { description: 'How often other values occur.' }),
    missing: t.exposeInt('missing', { description: 'Units without the field.' }),
    min: t.exposeFloat('min', { nullable: true, description: 'The lowest time or number.' }),
    max: t.exposeFloat('max', { nullable: true, description: 'The highest time or number.' }),
  }),
})

const FacetsRef = builder.objectRef<FacetsView>('Facets').implement({
  description: 'Counts of the Units that the caller may read.',
  fields: (t) => ({
    context: t.expose('context', { type: ContextRef, description: 'The enforcement context.' }),
    count: t.exposeInt('count', { description: 'Units that meet all filters.' }),
    facets: t.expose('facets', { type: [FacetRef], description: 'In the order of `fields`.' }),
    metadataKeys: t.exposeStringList('metadataKeys', {
      description: 'Keys of `metadata`, the most frequent first, at most 100.',
    }),
  }),
})

builder.queryField('facets', (t) =>
  t.field({
    type: FacetsRef,
    ...runs('facets', (input, services) => services.docs.facets(input)),
  }),
)

import type { FacetsView } from '../../../domain/docs/read-docs.ts'
import type { Facet } from '../../../model/doc.ts'
import { runs } from '../../builder/root-fields.ts'
import { float, int, json, list, nullable, objectType, of, string, strings } from '../../builder/types.ts'
import { ContextRef } from '../access/context.ts'

const FacetValueRef = objectType<Facet['values'][number]>(
  'FacetValue',
  'A value of a field, and how many Units have it.',
  {
    value: json('As filters take it. Times are epoch milliseconds.'),
    count: int('Units with this value.'),
  },
)

const FacetRef = objectType<Facet>('Facet', 'The values of a field. A list counts for each of its values.', {
  field: string('The field.'),
  values: list(
    FacetValueRef,
    'The most frequent first, equal ones by value. Values of more than 512 bytes are left out.',
  ),
  other: int('How often other values occur.'),
  missing: int('Units without the field.'),
  min: nullable(float('The lowest time or number.')),
  max: nullable(float('The highest time or number.')),
})

const FacetsRef = objectType<FacetsView>('Facets', 'Counts of the Units that the caller may read.', {
  context: of(ContextRef, 'The enforcement context.'),
  count: int('Units that meet all filters.'),
  facets: list(FacetRef, 'In the order of `fields`.'),
  metadataKeys: strings('Keys of `metadata`, the most frequent first, at most 100.'),
})

runs('facets', FacetsRef, (input, services) => services.docs.facets(input))

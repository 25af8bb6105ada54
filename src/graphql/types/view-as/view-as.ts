import { searchAsInput, unitsAsInput } from '../../../domain/view-as/view-as-input.ts'
import { builder, checked } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { pageArgs } from '../../builder/pages.ts'
import { SearchFiltersInput } from '../common/filters.ts'
import { SearchResultRef } from '../search/search.ts'
import { SearchInput } from '../search/search-input.ts'
import { UnitPageRef } from '../units/unit.ts'

const principalArg = 'A principal homed in the namespace or granted there.'

builder.queryFields((t) => ({
  searchAs: t.field({
    type: SearchResultRef,
    description:
      'What a principal finds, as far as the caller may read it too: scores, ranks and counts come from the Units that both may read. Audited as `access.view_as`. Needs an admin principal.',
    args: {
      principalId: t.arg.string({ required: true, description: principalArg }),
      input: t.arg({ type: SearchInput, required: true, description: 'The query, without `answer`.' }),
    },
    ...checked(searchAsInput, (input, context) => servicesOf(context).viewAs.search(input)),
  }),
  unitsAs: t.field({
    type: UnitPageRef,
    description:
      'The Units that both a principal and the caller may read, in ingest order. Audited as `access.view_as`. Needs an admin principal.',
    args: {
      principalId: t.arg.string({ required: true, description: principalArg }),
      ...pageArgs('Offset among these Units.'),
      filters: t.arg({ type: SearchFiltersInput, description: 'Only Units that meet them.' }),
    },
    ...checked(unitsAsInput, (input, context) => servicesOf(context).viewAs.units(input)),
  }),
}))

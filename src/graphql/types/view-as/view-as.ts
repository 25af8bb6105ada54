import { builder } from '../../builder/builder.ts'
import { pageArgs, runs } from '../../builder/root-fields.ts'
import { SearchFiltersInput } from '../common/filters.ts'
import { SearchResultRef } from '../search/search.ts'
import { SearchInput } from '../search/search-input.ts'
import { UnitPageRef } from '../units/unit.ts'

const principalArg = 'A principal homed in the namespace or granted there.'

builder.queryFields((t) => ({
  searchAs: t.field({
    type: SearchResultRef,
    args: {
      principalId: t.arg.string({ required: true, description: principalArg }),
      input: t.arg({ type: SearchInput, required: true, description: 'The query, without `answer`.' }),
    },
    ...runs('searchAs', (input, services) => services.viewAs.search(input)),
  }),
  unitsAs: t.field({
    type: UnitPageRef,
    args: {
      principalId: t.arg.string({ required: true, description: principalArg }),
      ...pageArgs('Offset among these Units.'),
      filters: t.arg({ type: SearchFiltersInput, description: 'Only Units that meet them.' }),
    },
    ...runs('unitsAs', (input, services) => services.viewAs.units(input)),
  }),
}))

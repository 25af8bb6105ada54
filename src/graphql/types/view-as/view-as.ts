import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { SearchResultRef } from '../search/search.ts'
import { UnitPageRef } from '../units/unit.ts'

builder.queryFields((t) => ({
  searchAs: t.field({
    type: SearchResultRef,
    ...runs('searchAs', (input, services) => services.viewAs.search(input)),
  }),
  unitsAs: t.field({
    type: UnitPageRef,
    ...runs('unitsAs', (input, services) => services.viewAs.units(input)),
  }),
}))

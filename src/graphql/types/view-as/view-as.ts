import { runs } from '../../builder/root-fields.ts'
import { SearchResultRef } from '../search/search.ts'
import { UnitPageRef } from '../units/unit.ts'

runs('searchAs', SearchResultRef, (input, services) => services.viewAs.search(input))

runs('unitsAs', UnitPageRef, (input, services) => services.viewAs.units(input))

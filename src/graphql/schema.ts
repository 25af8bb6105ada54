import { builder } from './builder.ts'
import './types/scalars.ts'
import './types/health.ts'
import './types/context.ts'
import './types/scope.ts'
import './types/unit.ts'
import './types/ingest.ts'
import './types/delete-units.ts'
import './types/search.ts'
import './types/catalog.ts'
import './types/source.ts'
import './types/seed.ts'

export const schema = builder.toSchema({ sortSchema: true })

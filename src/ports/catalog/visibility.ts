import type { ReadClause } from '../../model/acl.ts'
import type { Plane } from '../../model/unit.ts'

/** What a read may see: the scopes and planes that the session opened, each with the readers that count there. */
export interface Visibility {
  namespaceId: string
  clauses: readonly ReadClause[]
  planes: readonly Plane[]
}

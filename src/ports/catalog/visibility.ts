import type { ReadClause } from '../../model/acl.ts'
import type { Moment } from '../../model/session.ts'
import type { Plane } from '../../model/unit.ts'

/** What a read may see: the scopes and planes that the session opened, each with the readers that count there. */
export interface Visibility {
  namespaceId: string
  clauses: readonly ReadClause[]
  planes: readonly Plane[]
  /** The state that these rights were read in. A read may answer from it for a short while. */
  asOf?: Moment | undefined
}

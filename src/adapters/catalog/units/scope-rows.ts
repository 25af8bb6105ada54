import type { Scope } from '../../../model/registry.ts'
import { planes } from '../../../model/unit.ts'
import { someOf } from '../database/columns.ts'
import { toNumber } from '../database/db.ts'

export interface ScopeRecord {
  id: string
  path: string
  parent: string | null
  planes: string[]
  readOnlyAgents: boolean
  createdAt: bigint | number
}

const planesOf = someOf(planes, 'a plane')

export const toScope = (row: ScopeRecord, namespace: string): Scope => ({
  id: row.id,
  scope: row.path,
  namespace,
  parent: row.parent,
  planes: planesOf(row.planes),
  readOnlyAgents: row.readOnlyAgents,
  createdAt: toNumber(row.createdAt),
})

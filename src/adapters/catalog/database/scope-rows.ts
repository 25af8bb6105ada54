import type { Scope } from '../../../model/registry.ts'
import { toNumber } from './db.ts'
import { toPlanes } from './words.ts'

export interface ScopeRecord {
  id: string
  path: string
  parent: string | null
  planes: string[]
  readOnlyAgents: boolean
  createdAt: bigint | number
}

export const toScope = (row: ScopeRecord, namespace: string): Scope => ({
  id: row.id,
  scope: row.path,
  namespace,
  parent: row.parent,
  planes: toPlanes(row.planes),
  readOnlyAgents: row.readOnlyAgents,
  createdAt: toNumber(row.createdAt),
})

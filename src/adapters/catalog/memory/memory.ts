import type pg from 'pg'
import type { AccessReader } from '../../../ports/catalog/access-reader.ts'
import type { UnitReader } from '../../../ports/catalog/catalog.ts'
import type { UnitLoader } from '../sql/units/read-units.ts'
import { createAccessMemory } from './access-memory.ts'
import { Commits } from './commits.ts'
import { createHeld } from './held.ts'
import { observedClient } from './observed-client.ts'
import { createUnitMemory } from './unit-memory.ts'

/**
 * What the process knows of the embedded catalog, so that a search need not ask the database: who is calling, what it
 * may see, what a search goes by, and the Units of hits. It is exact, because every statement passes through this
 * process: nothing that was not committed is in it, and nothing that a commit changed stays. It can be emptied
 * at any time.
 */
export interface Memory {
  /** For the pool's one connection: this class of clients, whose statements are observed. */
  observed(client: typeof pg.Client): typeof pg.Client
  access(reader: AccessReader): AccessReader
  units(reader: UnitReader & UnitLoader): UnitReader
  /** The open transaction writes Units and scopes of this namespace only. */
  within(namespaceId: string): void
}

export function createMemory(maxBytes: number): Memory {
  const commits = new Commits()
  const held = createHeld(maxBytes)
  return {
    observed: (client) => observedClient(commits, client),
    access: (reader) => createAccessMemory(reader, commits, held),
    units: (reader) => createUnitMemory(reader, commits, held),
    within: (namespaceId) => commits.within(namespaceId),
  }
}

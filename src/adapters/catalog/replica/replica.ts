import type { AccessReader } from '../../../ports/catalog/access-reader.ts'
import type { UnitReader } from '../../../ports/catalog/catalog.ts'
import { createHeld } from '../memory/held.ts'
import type { Read } from '../sql/select.ts'
import type { UnitLoader } from '../sql/units/read-units.ts'
import { createProvingAccess } from './access.ts'
import { OwnWrites } from './own-writes.ts'
import { Spaces } from './spaces.ts'
import { createProvenUnits } from './units.ts'

/**
 * What this process keeps of a database that others write to as well. Nothing in it counts by itself: the statement that
 * reads a request's rights also reads what has changed since, in the same snapshot, and the request sees what is kept
 * as of that snapshot or later. It can be emptied at any time.
 */
export interface ReplicaMemory {
  access(read: Read, reader: AccessReader): AccessReader
  units(reader: UnitReader & UnitLoader): UnitReader
  /** This process changed Units of the namespace. */
  changed(namespaceId: string): void
}

export function createReplicaMemory(maxBytes: number): ReplicaMemory {
  const held = createHeld(maxBytes)
  const [spaces, writes] = [new Spaces(held), new OwnWrites()]
  return {
    access: (read, reader) => createProvingAccess(read, reader, spaces, writes, held),
    units: (reader) => createProvenUnits(reader, spaces, writes),
    changed: (namespaceId) => writes.changed(namespaceId),
  }
}

import type { AccessReader } from '../../../ports/catalog/access-reader.ts'
import type { Columns, Row } from '../database/columns.ts'
import type { Prisma } from '../generated/client.ts'
import type { Held } from '../memory/held.ts'
import {
  type Entering,
  membershipColumns,
  membershipSql,
  namespaceSql,
  targetColumns,
  toMembership,
  toTarget,
} from '../sql/access/membership.ts'
import { readWithProof } from '../sql/access/proof.ts'
import type { Read } from '../sql/select.ts'
import type { OwnWrites } from './own-writes.ts'
import { countsOf, type ProvenMoment, type Spaces } from './spaces.ts'

const nameBytes = 150

/** Reads who may do what for every request, and with it what has changed in the namespace that the request enters. */
export function createProvingAccess(
  read: Read,
  reader: AccessReader,
  spaces: Spaces,
  writes: OwnWrites,
  held: Held,
): AccessReader {
  /** `name`: which namespace is probably entered, if it was entered before under this name. */
  const enter = async <C extends Columns>(
    name: string,
    columns: C,
    entering: Prisma.Sql,
  ): Promise<{ row: Row<C>; asOf: ProvenMoment | undefined } | null> => {
    const before = held.get(`name ${name}`) as { namespaceId: string } | undefined
    const known = before && spaces.of(before.namespaceId)
    const [at, written] = [performance.now(), writes.mark()]
    const found = await readWithProof(read, columns, entering, known)
    if (!found?.proof) return found && { row: found.row, asOf: undefined }
    const { row, proof } = found
    const { namespaceId, seq, models } = proof
    spaces.apply(known, proof)
    if (before?.namespaceId !== namespaceId) held.set(`name ${name}`, { namespaceId }, nameBytes)
    const counts = countsOf(known, proof)
    return { row, asOf: { namespaceId, seq, models, counts, at, writes: written } }
  }

  return {
    ...reader,
    provesTokens: true,

    membership: async (principalId, namespace, now, tokenHash) => {
      const entering: Entering = { principalId, namespace, now, tokenHash }
      const name = namespace === undefined ? `of ${principalId}` : `is ${namespace}`
      const found = await enter(name, membershipColumns, membershipSql(entering))
      if (!found) return null
      const { target, ...membership } = toMembership(found.row, entering)
      return { ...membership, target: target && { ...target, ...asOfOf(found) } }
    },

    namespace: async (name) => {
      const found = await enter(`is ${name}`, targetColumns, namespaceSql(name))
      const target = found && toTarget(found.row)
      return target && { ...target, ...asOfOf(found) }
    },
  }
}

const asOfOf = ({ asOf }: { asOf: ProvenMoment | undefined }) => (asOf ? { asOf } : {})

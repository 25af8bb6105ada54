import type { Plane } from '../../../../model/unit.ts'
import { integer, text } from '../../database/columns.ts'
import type { Db } from '../../database/db.ts'
import { Prisma } from '../../generated/client.ts'
import type { Head } from '../head.ts'
import { select } from '../select.ts'
import { fixDims, stamp } from './change-model.ts'
import { recount } from './counters.ts'
import { counted } from './put-units.ts'
import { plane } from './rows.ts'

/** Units changed by one statement. */
const resetAtOnce = 1000

/**
 * Takes their own vectors from all Units of a plane, the live ones under the next seqs, so that a model embeds them again.
 * Returns the number of live ones.
 */
export async function resetOwnVectors(db: Db, head: Head, plane: Plane): Promise<number> {
  const namespaceId = head.namespace.id
  const rows = await select(db, { unit_id: text, state: text })`
    SELECT u.unit_id, u.state FROM unit_vector v
    JOIN unit u ON u.namespace_id = v.namespace_id AND u.unit_id = v.unit_id AND u.plane = ${plane}
    WHERE v.namespace_id = ${namespaceId} AND v.model = 'own' ORDER BY v.unit_id`
  const live = rows.filter(({ state }) => state === 'live').map((row) => row.unit_id)
  for (let i = 0; i < rows.length; i += resetAtOnce) {
    const run = rows.slice(i, i + resetAtOnce).map((row) => row.unit_id)
    const before = await counted(db, namespaceId, run)
    await takeOwnVectors(db, namespaceId, run)
    await recount(db, head, before, await counted(db, namespaceId, run))
  }
  for (let i = 0; i < live.length; i += resetAtOnce) await stamp(db, head, live.slice(i, i + resetAtOnce))
  await db.planeModel.deleteMany({ where: { namespaceId, plane, model: 'own' } })
  return live.length
}

/**
 * Before Units are restored: the first own vector of a plane fixes its dimensions again, and those of other dimensions,
 * which could not be compared any more, are dropped.
 */
export async function fitOwnVectors(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<void> {
  const rows = await select(db, { unit_id: text, plane, dims: integer })`
    SELECT u.unit_id, u.plane, octet_length(v.vector) / 4 AS dims FROM unit u
    JOIN unit_vector v ON v.namespace_id = u.namespace_id AND v.unit_id = u.unit_id AND v.model = 'own'
    WHERE u.namespace_id = ${namespaceId} AND u.unit_id = ANY(${[...unitIds]}::text[]) AND u.state = 'tombstoned'
    ORDER BY u.seq`
  const fixed = new Map<Plane, number>()
  const others: string[] = []
  for (const { unit_id, plane, dims } of rows) {
    const known = fixed.get(plane) ?? (await fixDims(db, namespaceId, plane, 'own', dims))
    fixed.set(plane, known)
    if (dims !== known) others.push(unit_id)
  }
  if (others.length > 0) await takeOwnVectors(db, namespaceId, others)
}

/** Their text waits for an embedding. With another hash, the same vector counts as a change when it is sent again. */
async function takeOwnVectors(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<void> {
  const ids = [...unitIds]
  await db.unitVector.deleteMany({ where: { namespaceId, model: 'own', unitId: { in: ids } } })
  await db.$executeRaw`
    UPDATE unit SET has_vector = false, embed_pending = ${isEmbeddable}, content_hash = 'reset-' || content_hash
    WHERE namespace_id = ${namespaceId} AND unit_id = ANY(${ids}::text[])`
}

const isEmbeddable = Prisma.sql`coalesce(text, '') <> ''`

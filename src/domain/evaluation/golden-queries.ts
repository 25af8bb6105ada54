import { createHash } from 'node:crypto'
import { badRequest, InvalidInputError } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { GoldenQuery } from '../../model/evaluation.ts'
import type { PageRange } from '../../model/page.ts'
import type { Session } from '../../model/session.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type Page, pageOf } from '../input/page.ts'
import { parseItems } from '../input/parse.ts'
import { type GoldenInput, goldenQuery, maxQueries } from './evaluation-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'>

/** The namespace's golden queries, oldest first. Errors: 403 except for admins: the queries reveal what is stored. */
export async function listGoldenQueries(
  { catalog }: Deps,
  session: Session,
  range?: PageRange,
): Promise<Page<GoldenQuery>> {
  admit(session, 'goldenQueries')
  return pageOf(await catalog.evaluation.queries(session.namespace.id, range), range)
}

/**
 * Writes golden queries, all or none. For an existing one (the same `q` and `scope`) the expectations are replaced, so
 * a file can be sent again safely. Expected ids are not looked up: the response must not reveal whether a Unit exists.
 * Errors: 400, also above 1,000 in a namespace; 403 except for admin principals.
 */
export async function createGoldenQueries(deps: Deps, session: Session, input: GoldenInput) {
  const queries = await parseItems(goldenQuery, input.queries, ['queries'])
  admit(session, 'createGoldenQueries')
  const createdAt = deps.clock.now()
  const golden = queries.map(
    ({ q, scope = null, expectedUnitIds, expectedExternalIds, expectedAnswers }): GoldenQuery => ({
      id: idOf(q, scope),
      q,
      scope,
      expected: { unitIds: expectedUnitIds, externalIds: expectedExternalIds, answers: expectedAnswers },
      createdAt,
    }),
  )
  const ids = golden.map(({ id }) => id)
  const repeated = ids.findIndex((id, i) => ids.indexOf(id) < i)
  if (repeated >= 0)
    throw new InvalidInputError(['queries', repeated, 'q'], 'must not repeat a query of the same scope')
  const counts = await deps.catalog.transact(session.namespace.id, async ({ evaluation, audit }) => {
    const written = await evaluation.putQueries(golden)
    const { count } = await evaluation.span()
    if (count > maxQueries) throw badRequest(`a namespace may have at most ${maxQueries} golden queries`)
    await audit(auditEntry(session, createdAt, 'golden.create', null, written))
    return written
  })
  return { ids, ...counts }
}

/** Errors: 403 except for admin principals. Unknown ids are not counted. */
export async function deleteGoldenQueries(deps: Deps, session: Session, ids: readonly string[]) {
  admit(session, 'deleteGoldenQueries')
  const deleted = await deps.catalog.transact(session.namespace.id, async ({ evaluation, audit }) => {
    const removed = await evaluation.removeQueries(ids)
    await audit(auditEntry(session, deps.clock.now(), 'golden.delete', null, { deleted: removed }))
    return removed
  })
  return { deleted }
}

/** A digest of the scope and the query: ids are the same in each namespace, and reveal only what the query reveals. */
const idOf = (q: string, scope: string | null) =>
  `gq_${createHash('sha256')
    .update(JSON.stringify([scope, q]))
    .digest('hex')
    .slice(0, 32)}`

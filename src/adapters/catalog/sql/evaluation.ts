import type { EvaluationWriter } from '../../../ports/catalog/evaluation-store.ts'
import { asJson, type Db } from '../database/db.ts'

type Queries = Parameters<EvaluationWriter['putQueries']>[0]
type Step = Parameters<EvaluationWriter['advance']>[0]

/** The seq of a deleted query is not reused while a run may still look for it. */
export async function putQueries(db: Db, namespaceId: string, queries: Queries): Promise<void> {
  const rows = queries.map(({ createdAt: created_at, ...query }, place) => ({ ...query, created_at, place }))
  await db.$executeRaw`
    INSERT INTO golden_query (namespace_id, id, seq, q, scope, expected, created_at)
    SELECT ${namespaceId}, r.id,
      greatest(0, (SELECT max(seq) FROM golden_query WHERE namespace_id = ${namespaceId}),
        (SELECT max(up_to) FROM evaluation_run WHERE namespace_id = ${namespaceId})) + 1 + r.place,
      r.q, r.scope, r.expected, r.created_at
    FROM json_to_recordset(${asJson(rows)}::json)
      AS r(id text, q text, scope text, expected jsonb, created_at bigint, place int)
    ON CONFLICT (namespace_id, id) DO UPDATE SET expected = excluded.expected`
}

/** Appends the scores without reading those before; false if another call was faster. */
export async function advanceRun(db: Db, namespaceId: string, step: Step): Promise<boolean> {
  const { id, from, to, scores, report, finishedAt } = step
  const written = await db.$executeRaw`
    UPDATE evaluation_run SET cursor = ${to}, asked = asked + ${scores.length}, scores = scores || ${asJson(scores)}::jsonb,
      report = ${report && JSON.stringify(report)}::jsonb, finished_at = ${finishedAt}
    WHERE namespace_id = ${namespaceId} AND id = ${id} AND cursor = ${from} AND finished_at IS NULL`
  return written > 0
}

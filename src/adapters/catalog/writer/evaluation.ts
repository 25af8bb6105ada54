import type { EvaluationWriter } from '../../../ports/evaluation-store.ts'
import { asJson, type Db } from '../database/db.ts'

export function createEvaluationWriter(db: Db, namespaceId: string): EvaluationWriter {
  return {
    // The seq of a deleted query is not reused while a run may still look for it.
    putQueries: async (queries) => {
      const rows = queries.map(({ createdAt: created_at, ...query }, place) => ({ ...query, created_at, place }))
      const ids = rows.map(({ id }) => id)
      const updated = await db.goldenQuery.count({ where: { namespaceId, id: { in: ids } } })
      await db.$executeRaw`
        INSERT INTO golden_query (namespace_id, id, seq, q, scope, expected, created_at)
        SELECT ${namespaceId}, r.id,
          greatest(0, (SELECT max(seq) FROM golden_query WHERE namespace_id = ${namespaceId}),
            (SELECT max(up_to) FROM evaluation_run WHERE namespace_id = ${namespaceId})) + 1 + r.place,
          r.q, r.scope, r.expected, r.created_at
        FROM json_to_recordset(${asJson(rows)}::json)
          AS r(id text, q text, scope text, expected jsonb, created_at bigint, place int)
        ON CONFLICT (namespace_id, id) DO UPDATE SET expected = excluded.expected`
      return { created: rows.length - updated, updated }
    },

    removeQueries: async (ids) => {
      const { count } = await db.goldenQuery.deleteMany({ where: { namespaceId, id: { in: [...ids] } } })
      return count
    },

    span: async () => {
      const { _count, _max } = await db.goldenQuery.aggregate({
        where: { namespaceId },
        _count: true,
        _max: { seq: true },
      })
      return { count: _count, last: _max.seq ?? 0 }
    },

    insertRun: async (run, keep) => {
      await db.evaluationRun.create({ data: { ...run, namespaceId } })
      await db.$executeRaw`
        DELETE FROM evaluation_run r WHERE r.namespace_id = ${namespaceId} AND NOT r.service_wide
          AND r.id <> ${run.id}
          AND r.id NOT IN (SELECT id FROM evaluation_run
            WHERE namespace_id = ${namespaceId} ORDER BY started_at DESC LIMIT ${keep})
          AND r.id NOT IN (SELECT id FROM evaluation_run
            WHERE namespace_id = ${namespaceId} AND published_at IS NOT NULL ORDER BY published_at DESC LIMIT 1)`
    },

    advance: async ({ id, from, to, scores, report, finishedAt }) => {
      const written = await db.$executeRaw`
        UPDATE evaluation_run SET cursor = ${to}, asked = asked + ${scores.length}, scores = scores || ${asJson(scores)}::jsonb,
          report = ${report && JSON.stringify(report)}::jsonb, finished_at = ${finishedAt}
        WHERE namespace_id = ${namespaceId} AND id = ${id} AND cursor = ${from} AND finished_at IS NULL`
      return written > 0
    },

    publish: async (id, now, serviceWide) => {
      const { count } = await db.evaluationRun.updateMany({
        where: { namespaceId, id, finishedAt: { not: null } },
        data: { publishedAt: now, ...(serviceWide && { serviceWide }) },
      })
      return count > 0
    },
  }
}

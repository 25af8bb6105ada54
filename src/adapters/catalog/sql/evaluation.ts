import type { EvaluationReport, EvaluationSummary, Expected, QueryScores } from '../../../model/evaluation.ts'
import type { EvaluationReader, EvaluationWriter, SequencedQuery } from '../../../ports/catalog/evaluation-store.ts'
import { jsonOf } from '../database/columns.ts'
import { asJson, type Db, listed, toNumber } from '../database/db.ts'
import type { GoldenQuery as QueryRecord, EvaluationRun as RunRecord } from '../generated/client.ts'

export function createEvaluationReader(db: Db): EvaluationReader {
  return {
    queries: (namespaceId, range) => {
      const where = { namespaceId }
      return listed(
        range,
        (page) => db.goldenQuery.findMany({ where, orderBy: { seq: 'asc' }, ...page }),
        () => db.goldenQuery.count({ where }),
        toQuery,
      )
    },

    queriesBetween: async (namespaceId, above, upTo, take) => {
      const where = { namespaceId, seq: { gt: above, lte: upTo } }
      const records = await db.goldenQuery.findMany({ where, orderBy: { seq: 'asc' }, take })
      return records.map(toQuery)
    },

    runs: (namespaceId, range) => {
      const where = { namespaceId }
      const orderBy = [{ startedAt: 'desc' as const }, { id: 'desc' as const }]
      return listed(
        range,
        (page) => db.evaluationRun.findMany({ where, orderBy, omit: { scores: true }, ...page }),
        () => db.evaluationRun.count({ where }),
        toSummary,
      )
    },

    run: async (namespaceId, id) => {
      const record = await db.evaluationRun.findUnique({ where: { namespaceId_id: { namespaceId, id } } })
      return record && { ...toSummary(record), scores: jsonOf<QueryScores[]>(record.scores) }
    },

    published: async (namespaceId) => {
      const published = { publishedAt: { not: null } }
      const orderBy = { publishedAt: 'desc' } as const
      const record =
        (await db.evaluationRun.findFirst({ where: { ...published, namespaceId }, orderBy })) ??
        (await db.evaluationRun.findFirst({ where: { ...published, serviceWide: true }, orderBy }))
      const { report, finishedAt } = record ? toSummary(record) : { report: null, finishedAt: null }
      return report === null || finishedAt === null ? null : { report, finishedAt }
    },
  }
}

const toQuery = ({ id, seq, q, scope, expected, createdAt }: QueryRecord): SequencedQuery => ({
  id,
  seq,
  q,
  scope,
  expected: jsonOf<Expected>(expected),
  createdAt: toNumber(createdAt),
})

const toSummary = (run: Omit<RunRecord, 'scores'>): EvaluationSummary => ({
  id: run.id,
  principalId: run.principalId,
  scope: run.scope,
  answers: run.answers,
  rerank: run.rerank,
  total: run.total,
  upTo: run.upTo,
  cursor: run.cursor,
  asked: run.asked,
  report: run.report === null ? null : jsonOf<EvaluationReport>(run.report),
  startedAt: toNumber(run.startedAt),
  finishedAt: run.finishedAt === null ? null : toNumber(run.finishedAt),
  publishedAt: run.publishedAt === null ? null : toNumber(run.publishedAt),
})

export function createEvaluationWriter(db: Db, namespaceId: string): EvaluationWriter {
  return {
    putQueries: async (queries) => {
      const ids = queries.map(({ id }) => id)
      const updated = await db.goldenQuery.count({ where: { namespaceId, id: { in: ids } } })
      await putQueries(db, namespaceId, queries)
      return { created: queries.length - updated, updated }
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
      const where = { namespaceId, publishedAt: { not: null } }
      const published = await db.evaluationRun.findFirst({
        where,
        orderBy: { publishedAt: 'desc' },
        select: { id: true },
      })
      const old = await db.evaluationRun.findMany({
        where: { namespaceId },
        orderBy: { startedAt: 'desc' },
        skip: keep,
        select: { id: true },
      })
      const ids = old.flatMap(({ id }) => (id === run.id || id === published?.id ? [] : [id]))
      if (ids.length > 0)
        await db.evaluationRun.deleteMany({ where: { namespaceId, serviceWide: false, id: { in: ids } } })
    },

    advance: (step) => advanceRun(db, namespaceId, step),

    publish: async (id, now, serviceWide) => {
      const { count } = await db.evaluationRun.updateMany({
        where: { namespaceId, id, finishedAt: { not: null } },
        data: { publishedAt: now, ...(serviceWide && { serviceWide }) },
      })
      return count > 0
    },
  }
}

type Queries = Parameters<EvaluationWriter['putQueries']>[0]
type Step = Parameters<EvaluationWriter['advance']>[0]

/** The seq of a deleted query is not reused while a run may still look for it. */
async function putQueries(db: Db, namespaceId: string, queries: Queries): Promise<void> {
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
async function advanceRun(db: Db, namespaceId: string, step: Step): Promise<boolean> {
  const { id, from, to, scores, report, finishedAt } = step
  const written = await db.$executeRaw`
    UPDATE evaluation_run SET cursor = ${to}, asked = asked + ${scores.length}, scores = scores || ${asJson(scores)}::jsonb,
      report = ${report && JSON.stringify(report)}::jsonb, finished_at = ${finishedAt}
    WHERE namespace_id = ${namespaceId} AND id = ${id} AND cursor = ${from} AND finished_at IS NULL`
  return written > 0
}

import type {
  EvaluationReport,
  EvaluationRun,
  EvaluationSummary,
  Expected,
  GoldenQuery,
  QueryScores,
} from '../../../model/evaluation.ts'
import type { Listed, PageRange } from '../../../model/page.ts'
import { jsonOf } from '../database/columns.ts'
import { asJson, type Db, listed, numbersOf } from '../database/db.ts'
import type { GoldenQuery as QueryRecord, EvaluationRun as RunRecord } from '../generated/client.ts'

export interface SequencedQuery extends GoldenQuery {
  seq: number
}

export interface PublishedReport {
  report: EvaluationReport
  /** Epoch milliseconds. */
  finishedAt: number
}

/** The result of one chunk of a run. */
export interface Advance {
  id: string
  from: number
  to: number
  /** Results of the queries of this chunk; they are added to the others. */
  scores: readonly QueryScores[]
  report: EvaluationReport | null
  finishedAt: number | null
}

/** A list without a range is whole. */
export function createEvaluationReader(db: Db) {
  return {
    /** In the order in which they were first written. */
    queries: (namespaceId: string, range?: PageRange): Promise<Listed<GoldenQuery>> => {
      const where = { namespaceId }
      return listed(
        range,
        (page) => db.goldenQuery.findMany({ where, orderBy: { seq: 'asc' }, ...page }),
        () => db.goldenQuery.count({ where }),
        toQuery,
      )
    },

    /** Those with a seq above `above` and up to `upTo`, ascending. */
    queriesBetween: async (
      namespaceId: string,
      above: number,
      upTo: number,
      take: number,
    ): Promise<SequencedQuery[]> => {
      const where = { namespaceId, seq: { gt: above, lte: upTo } }
      const records = await db.goldenQuery.findMany({ where, orderBy: { seq: 'asc' }, take })
      return records.map(toQuery)
    },

    /** Newest first. */
    runs: (namespaceId: string, range?: PageRange): Promise<Listed<EvaluationSummary>> => {
      const where = { namespaceId }
      const orderBy = [{ startedAt: 'desc' as const }, { id: 'desc' as const }]
      return listed(
        range,
        (page) => db.evaluationRun.findMany({ where, orderBy, omit: { scores: true }, ...page }),
        () => db.evaluationRun.count({ where }),
        toSummary,
      )
    },

    run: async (namespaceId: string, id: string): Promise<EvaluationRun | null> => {
      const record = await db.evaluationRun.findUnique({ where: { namespaceId_id: { namespaceId, id } } })
      if (!record) return null
      const { scores, ...run } = record
      return { ...toSummary(run), scores: jsonOf<QueryScores[]>(scores) }
    },

    /** The namespace's last published report, or the last service-wide one, or null. */
    published: async (namespaceId: string): Promise<PublishedReport | null> => {
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

const toQuery = ({ namespaceId: _, expected, ...query }: QueryRecord): SequencedQuery => ({
  ...numbersOf(query),
  expected: jsonOf<Expected>(expected),
})

type RunRow = Omit<RunRecord, 'scores'>

const toSummary = ({ namespaceId: _, serviceWide: __, report, ...run }: RunRow): EvaluationSummary => ({
  ...numbersOf(run),
  report: report === null ? null : jsonOf<EvaluationReport>(report),
})

/** Writes of golden queries and of their runs, in a transaction of their namespace. */
export function createEvaluationWriter(db: Db, namespaceId: string) {
  return {
    /** Writes them in order. An existing id is replaced. The ids must be distinct. */
    putQueries: async (queries: readonly GoldenQuery[]): Promise<{ created: number; updated: number }> => {
      const ids = queries.map(({ id }) => id)
      const updated = await db.goldenQuery.count({ where: { namespaceId, id: { in: ids } } })
      await putQueries(db, namespaceId, queries)
      return { created: queries.length - updated, updated }
    },

    /** Returns the number of removed queries. */
    removeQueries: async (ids: readonly string[]) => {
      const { count } = await db.goldenQuery.deleteMany({ where: { namespaceId, id: { in: [...ids] } } })
      return count
    },

    /** The number of queries, and the last one's seq (0 for none). */
    span: async (): Promise<{ count: number; last: number }> => {
      const { _count, _max } = await db.goldenQuery.aggregate({
        where: { namespaceId },
        _count: true,
        _max: { seq: true },
      })
      return { count: _count, last: _max.seq ?? 0 }
    },

    /** Removes runs older than the latest `keep`, except the last published one and those published service-wide. */
    insertRun: async (
      run: Omit<EvaluationRun, 'cursor' | 'asked' | 'scores' | 'report' | 'finishedAt' | 'publishedAt'>,
      keep: number,
    ) => {
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

    /** Appends the scores without reading those before. False, and nothing is written, when the run is no longer at `from`. */
    advance: async (step: Advance) => {
      const { id, from, to, scores, report, finishedAt } = step
      const written = await db.$executeRaw`
        UPDATE evaluation_run SET cursor = ${to}, asked = asked + ${scores.length}, scores = scores || ${asJson(scores)}::jsonb,
          report = ${report && JSON.stringify(report)}::jsonb, finished_at = ${finishedAt}
        WHERE namespace_id = ${namespaceId} AND id = ${id} AND cursor = ${from} AND finished_at IS NULL`
      return written > 0
    },

    /** False when no such finished run exists. */
    publish: async (id: string, now: number, serviceWide: boolean) => {
      const { count } = await db.evaluationRun.updateMany({
        where: { namespaceId, id, finishedAt: { not: null } },
        data: { publishedAt: now, ...(serviceWide && { serviceWide }) },
      })
      return count > 0
    },
  }
}

/** The seq of a deleted query is not reused while a run may still look for it. */
async function putQueries(db: Db, namespaceId: string, queries: readonly GoldenQuery[]): Promise<void> {
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

export type EvaluationReader = ReturnType<typeof createEvaluationReader>

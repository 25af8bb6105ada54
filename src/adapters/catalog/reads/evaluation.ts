import type { EvaluationReport, EvaluationSummary, Expected, QueryScores } from '../../../model/evaluation.ts'
import type { EvaluationReader, SequencedQuery } from '../../../ports/catalog/evaluation-store.ts'
import { jsonOf } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { listed } from '../database/listed.ts'
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

import type { EvaluationReport, EvaluationSummary, Expected, QueryScores } from '../../../model/evaluation.ts'
import type { EvaluationReader, SequencedQuery } from '../../../ports/evaluation-store.ts'
import { type Db, toNumber } from '../database/db.ts'
import type { GoldenQuery as QueryRecord, EvaluationRun as RunRecord } from '../generated/client.ts'

export function createEvaluationReader(db: Db): EvaluationReader {
  return {
    queries: async (namespaceId, skip, take) => {
      const where = { namespaceId }
      const records = await db.goldenQuery.findMany({ where, orderBy: { seq: 'asc' }, skip, take })
      return { queries: records.map(toQuery), count: await db.goldenQuery.count({ where }) }
    },

    queriesBetween: async (namespaceId, above, upTo, take) => {
      const where = { namespaceId, seq: { gt: above, lte: upTo } }
      const records = await db.goldenQuery.findMany({ where, orderBy: { seq: 'asc' }, take })
      return records.map(toQuery)
    },

    runs: async (namespaceId) => {
      const orderBy = [{ startedAt: 'desc' }, { id: 'desc' }] as const
      const records = await db.evaluationRun.findMany({
        where: { namespaceId },
        orderBy: [...orderBy],
        omit: { scores: true },
      })
      return records.map(toSummary)
    },

    run: async (namespaceId, id) => {
      const record = await db.evaluationRun.findUnique({ where: { namespaceId_id: { namespaceId, id } } })
      return record && { ...toSummary(record), scores: stored<QueryScores[]>(record.scores) }
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

/** Only this adapter writes the JSON columns, in the model's own shapes. */
const stored = <T>(json: unknown) => json as T

const toQuery = ({ id, seq, q, scope, expected, createdAt }: QueryRecord): SequencedQuery => ({
  id,
  seq,
  q,
  scope,
  expected: stored<Expected>(expected),
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
  report: stored<EvaluationReport | null>(run.report),
  startedAt: toNumber(run.startedAt),
  finishedAt: run.finishedAt === null ? null : toNumber(run.finishedAt),
  publishedAt: run.publishedAt === null ? null : toNumber(run.publishedAt),
})

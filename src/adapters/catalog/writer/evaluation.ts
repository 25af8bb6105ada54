import type { EvaluationWriter } from '../../../ports/evaluation-store.ts'
import type { Db } from '../database/db.ts'
import { advanceRun, putQueries } from '../sql/evaluation.ts'

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
      const select = { id: true }
      const kept = [
        ...(await db.evaluationRun.findMany({
          where: { namespaceId },
          orderBy: { startedAt: 'desc' },
          take: keep,
          select,
        })),
        ...(await db.evaluationRun.findMany({
          where: { namespaceId, publishedAt: { not: null } },
          orderBy: { publishedAt: 'desc' },
          take: 1,
          select,
        })),
      ]
      const ids = [run.id, ...kept.map(({ id }) => id)]
      await db.evaluationRun.deleteMany({ where: { namespaceId, serviceWide: false, id: { notIn: ids } } })
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

import type { EvaluationWriter } from '../../../ports/catalog/evaluation-store.ts'
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

import type { KeptAnswerStore } from '../../../ports/catalog/kept-answers.ts'
import { type Db, toNumber } from '../database/db.ts'

export function createKeptAnswers(db: Db): KeptAnswerStore {
  const { keptAnswer } = db
  const find: KeptAnswerStore['find'] = async (id, now) => {
    const row = await keptAnswer.findUnique({ where: { id } })
    if (!row) return null
    const expiresAt = toNumber(row.expiresAt)
    if (expiresAt > now) return { ...row, expiresAt }
    await keptAnswer.deleteMany({ where: { id, expiresAt: { lte: now } } })
    return null
  }
  return {
    find,
    keep: async (answer, now) => {
      const data = { ...answer, content: Uint8Array.from(answer.content) }
      const { count } = await keptAnswer.createMany({ data, skipDuplicates: true })
      return count > 0 ? answer : ((await find(answer.id, now)) ?? answer)
    },
    removeExpired: async (now) => (await keptAnswer.deleteMany({ where: { expiresAt: { lte: now } } })).count,
  }
}

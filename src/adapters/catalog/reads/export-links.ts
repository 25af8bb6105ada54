import { exportFormats } from '../../../model/audit.ts'
import type { ExportLink, ExportLinks } from '../../../ports/catalog/export-links.ts'
import { oneOf } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toTier } from '../database/words.ts'

const toFormat = oneOf(exportFormats, 'a format of exports')

export function createExportLinks(db: Db): ExportLinks {
  const find = async (hash: string): Promise<ExportLink | null> => {
    const namespace = { select: { id: true, name: true, tier: true } }
    const link = await db.auditExport.findUnique({ where: { hash }, include: { namespace } })
    if (link === null) return null
    const { id, name, tier } = link.namespace
    return {
      namespace: { id, name, tier: toTier(tier) },
      principalId: link.principalId,
      format: toFormat(link.format),
      expiresAt: toNumber(link.expiresAt),
    }
  }
  return {
    find,
    // If two requests take it at once, only one deletes it.
    take: async (hash) => {
      const link = await find(hash)
      const { count } = await db.auditExport.deleteMany({ where: { hash } })
      return count > 0 ? link : null
    },
    removeExpired: async (now) => (await db.auditExport.deleteMany({ where: { expiresAt: { lte: now } } })).count,
  }
}

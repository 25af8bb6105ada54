import type { ExportFormat } from '../../../model/audit-export.ts'
import type { TierName } from '../../../model/tiers.ts'
import type { ExportLink, ExportLinks } from '../../../ports/export-links.ts'
import { type Db, toNumber } from '../database/db.ts'

interface LinkRecord {
  namespace_id: string
  name: string
  tier: TierName
  principal_id: string
  format: ExportFormat
  expires_at: bigint
}

export function createExportLinks(db: Db): ExportLinks {
  return {
    find: async (hash) => {
      const [link] = await db.$queryRaw<LinkRecord[]>`
        SELECT e.namespace_id, n.name, n.tier, e.principal_id, e.format, e.expires_at
        FROM audit_export e JOIN namespace n ON n.id = e.namespace_id WHERE e.hash = ${hash}`
      return link ? toLink(link) : null
    },
    take: async (hash) => {
      const [link] = await db.$queryRaw<LinkRecord[]>`
        DELETE FROM audit_export e USING namespace n WHERE e.hash = ${hash} AND n.id = e.namespace_id
        RETURNING e.namespace_id, n.name, n.tier, e.principal_id, e.format, e.expires_at`
      return link ? toLink(link) : null
    },
    removeExpired: (now) => db.$executeRaw`DELETE FROM audit_export WHERE expires_at <= ${now}`,
  }
}

const toLink = (link: LinkRecord): ExportLink => ({
  namespace: { id: link.namespace_id, name: link.name, tier: link.tier },
  principalId: link.principal_id,
  format: link.format,
  expiresAt: toNumber(link.expires_at),
})

import type { SourceLinks } from '../../../ports/catalog/source-links.ts'
import { oneOf } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toTier } from '../database/words.ts'

const toRendition = oneOf(['original', 'text'] as const, 'a rendition')

export function createSourceLinks(db: Db): SourceLinks {
  const withNamespace = { namespace: { select: { id: true, name: true, tier: true } } }
  const toNamespace = ({ tier, ...namespace }: { id: string; name: string; tier: string }) => ({
    ...namespace,
    tier: toTier(tier),
  })
  return {
    upload: async (hash) => {
      const row = await db.upload.findUnique({ where: { hash, sourceId: null }, include: withNamespace })
      if (row === null) return null
      const { expiresAt, namespace, principalId, keyHash, bytes, sha256, mime, name } = row
      const said = { hash, principalId, keyHash, bytes, sha256, mime, name }
      return { ...said, expiresAt: toNumber(expiresAt), namespace: toNamespace(namespace) }
    },
    beginUpload: async (hash, sourceId) => {
      const begun = { where: { hash, sourceId: null }, data: { attempts: { push: sourceId } } }
      return (await db.upload.updateMany(begun)).count > 0
    },
    endedUploads: async (expiredBy, limit) => {
      const rows = await db.upload.findMany({
        where: { expiresAt: { lte: expiredBy } },
        // Otherwise Prisma orders by the hash, which reads all of them.
        orderBy: { expiresAt: 'asc' },
        take: limit,
      })
      return rows.map(({ hash, namespaceId, attempts, sourceId }) => ({
        ...{ hash, namespaceId },
        leftovers: attempts.filter((id) => id !== sourceId),
      }))
    },
    removeUploads: async (hashes) => {
      await db.upload.deleteMany({ where: { hash: { in: [...hashes] } } })
    },
    sourceLink: async (hash) => {
      const row = await db.sourceLink.findUnique({ where: { hash }, include: withNamespace })
      if (row === null) return null
      const { principalId, keyHash, unitId, sourceId, rendition, bytes, sha256, expiresAt, usedAt, namespace } = row
      return {
        ...{ hash, principalId, keyHash, unitId, sourceId, sha256 },
        rendition: toRendition(rendition),
        bytes: toNumber(bytes),
        expiresAt: toNumber(expiresAt),
        used: usedAt !== null,
        namespace: toNamespace(namespace),
      }
    },
    removeExpired: async (now) => (await db.sourceLink.deleteMany({ where: { expiresAt: { lte: now } } })).count,
  }
}

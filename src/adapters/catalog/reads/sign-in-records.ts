import type { SignInRecords } from '../../../ports/catalog/sign-in-records.ts'
import type { Db } from '../database/db.ts'

/** The window in which tries are counted. */
const throttleMs = 60_000

export const createSignInRecords = (db: Db): SignInRecords => ({
  removeExpired: async (now) => {
    const ended = { where: { expiresAt: { lte: new Date(now) } } }
    const sessions = await db.authSession.deleteMany(ended)
    const links = await db.authVerification.deleteMany(ended)
    // Counted before the clock jumped back: such a row would refuse an address until then.
    const ahead = { where: { lastRequest: { gt: now + throttleMs } } }
    const tries = await db.authRateLimit.deleteMany(ahead)
    return sessions.count + links.count + tries.count
  },
})

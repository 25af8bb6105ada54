import type { Log } from '../model/log.ts'
import { json } from './json.ts'
import type { Handler } from './message.ts'
import { idsOf } from './request-record.ts'

/** The process runs: an orchestrator restarts it when this fails. */
export const livez: Handler = async () => json(200, { status: 'ok' })

export interface ReadyzOptions {
  timeoutMs?: number
  log?: Log
  /** The process will end soon, but still works. */
  isLeaving?: () => boolean
}

/**
 * The service is ready. While `check` rejects or is slow, or the process is leaving, an orchestrator sends no traffic.
 */
export function createReadyz(check: () => Promise<void>, options: ReadyzOptions = {}): Handler {
  const { timeoutMs = 2_000, log, isLeaving = () => false } = options
  return async ({ record }) => {
    if (isLeaving()) return json(503, { status: 'leaving' })
    const expired = Promise.withResolvers<never>()
    const timer = setTimeout(() => expired.reject(new Error('the readiness check timed out')), timeoutMs)
    try {
      await Promise.race([check(), expired.promise])
      return json(200, { status: 'ok' })
    } catch (error) {
      log?.error({ err: error, ...idsOf(record) }, 'not ready')
      return json(503, { status: 'unavailable' })
    } finally {
      clearTimeout(timer)
    }
  }
}

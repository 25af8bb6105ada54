import type { Log } from '../model/log.ts'
import { type Handler, json, splitTarget } from './message.ts'
import { idsOf } from './request-record.ts'

/** What orchestrators and load balancers ask: answered at any load. */
const probes = ['/livez', '/readyz', '/v1/health']

export const isProbe = (target: string): boolean => probes.includes(splitTarget(target).path)

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

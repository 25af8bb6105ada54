import { json } from './json.ts'
import type { Log } from './log.ts'
import type { Handler } from './message.ts'

/** The process runs: an orchestrator restarts it when this fails. */
export const livez: Handler = async () => json(200, { status: 'ok' })

/** The service can do its work: while `check` rejects or is slow, an orchestrator sends no traffic. */
export function createReadyz(check: () => Promise<void>, options: { timeoutMs?: number; log?: Log } = {}): Handler {
  const { timeoutMs = 2_000, log } = options
  return async () => {
    const expired = Promise.withResolvers<never>()
    const timer = setTimeout(() => expired.reject(new Error('the readiness check timed out')), timeoutMs)
    try {
      await Promise.race([check(), expired.promise])
      return json(200, { status: 'ok' })
    } catch (error) {
      log?.error({ err: error }, 'not ready')
      return json(503, { status: 'unavailable' })
    } finally {
      clearTimeout(timer)
    }
  }
}

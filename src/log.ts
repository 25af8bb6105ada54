import { pino } from 'pino'
import type { Log } from './ports/log.ts'

/** Of an error only what tells what went wrong: drivers hang their connections, secrets and all, on theirs. */
const err = (error: unknown) => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name: type, message, stack } = error
  return { type, message, stack, ...('code' in error ? { code: error.code } : {}) }
}

/** JSON lines on stderr: stdout is the boot block's. */
export const createLog = (level: string): Log =>
  pino({ level, serializers: { err } }, pino.destination({ dest: 2, sync: true }))

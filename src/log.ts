import { pino } from 'pino'
import type { Log } from './model/log.ts'

/** Of an error only what tells what went wrong: drivers hang their connections, secrets and all, on theirs. */
const err = (error: unknown) => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name: type, message, stack } = error
  return { type, message, stack, ...('code' in error ? { code: error.code } : {}) }
}

/** Bytes that may wait for a reader that is too slow; what is beyond is lost rather than held. */
const maxWaiting = 8 * 1024 * 1024

/**
 * JSON lines on stderr: stdout is the boot block's. They are written in the background, so that a slow reader holds up no
 * request, and the rest of them when the process exits.
 */
export const createLog = (level: string): Log =>
  pino({ level, serializers: { err } }, pino.destination({ dest: 2, sync: false, maxLength: maxWaiting }))

import { pino } from 'pino'
import type { Log } from './model/log.ts'

/** Only the fields of an error that say what went wrong: drivers attach their connections, including secrets. */
const err = (error: unknown) => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name: type, message, stack } = error
  return { type, message, stack, ...('code' in error ? { code: error.code } : {}) }
}

/** Bytes that may wait for a slow reader. Further lines are dropped, not buffered. */
const maxWaiting = 8 * 1024 * 1024

/**
 * JSON lines on stderr; stdout is for the boot block. They are written in the background, so that a slow reader does
 * not delay requests. The remaining lines are written when the process exits.
 */
export const createLog = (level: string): Log =>
  pino({ level, serializers: { err } }, pino.destination({ dest: 2, sync: false, maxLength: maxWaiting }))

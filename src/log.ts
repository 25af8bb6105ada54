import { pino } from 'pino'
import type { Log } from './ports/log.ts'

/** JSON lines on stderr: stdout is the boot block's. */
export const createLog = (level: string): Log => pino({ level }, pino.destination({ dest: 2, sync: true }))

import type { Actor } from '../../model/audit-entry.ts'

export interface RefusedRequest extends Actor {
  /** The home namespace of the caller: a refused request adds no rows to the log of another namespace. */
  homeId: string
  /** The REST route or the GraphQL root field. */
  operation: string
  /** The target namespace, if it was granted. */
  namespace: string | null
  /** How the target relates to the caller. */
  kind: 'home' | 'granted' | 'unknown'
}

/**
 * Records refusals of authenticated callers. Above a number of rows per principal and minute, refusals are only
 * counted, so that nobody can fill a log. Each operation, kind of target and outcome has its own count, and the first
 * refusal of each still gets its row: so a flood of one cannot hide another.
 */
export interface RefusalRecorder {
  /** Records only 402 and 403. Callers await it before they respond. */
  refused(request: RefusedRequest, error: unknown): Promise<void>
  /** Closes the minutes that have ended; returns how many. */
  sweep(): Promise<number>
  /** Closes all minutes. */
  stop(): Promise<number>
}

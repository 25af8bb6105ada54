import type { Actor } from '../../model/audit-entry.ts'

export interface RefusedRequest extends Actor {
  /** The home of who asked: nobody grows the log of a namespace by being refused there. */
  homeId: string
  /** The REST route or the GraphQL root field. */
  operation: string
  /** The namespace that was targeted, if it was granted. */
  namespace: string | null
  /** What it is to the caller. */
  kind: 'home' | 'granted' | 'unknown'
}

/**
 * Records refusals of authenticated callers. Beyond a number of rows per principal and minute they are only counted, so
 * that nobody can fill a log at will: apart for each operation, kind of target and outcome, of which the first still gets
 * its row, so that a flood of one cannot hide another.
 */
export interface RefusalRecorder {
  /** Records 402 and 403, nothing else; callers await it before they answer. */
  refused(request: RefusedRequest, error: unknown): Promise<void>
  /** Closes the minutes that are over; returns how many. */
  sweep(): Promise<number>
  /** Closes all. */
  stop(): Promise<number>
}

import type { Session } from '../../model/session.ts'
import { createFairTurns } from './fair-turns.ts'
import { capacity } from './weights.ts'

/** Runs a session's work beside that of other principals; one principal's own work waits for its turn. */
export interface Turns {
  reading: Turn
  /** Separate: writes wait for each other in the catalog, and reads must not wait behind them. */
  writing: Turn
}

type Turn = <T>(session: Session, weight: number, work: () => Promise<T>) => Promise<T>

export function createTurns(): Turns {
  const turns = createFairTurns(capacity)
  return {
    reading: ({ principalId }, weight, work) => turns.run(`read ${principalId}`, weight, work),
    writing: ({ principalId }, weight, work) => turns.run(`write ${principalId}`, weight, work),
  }
}

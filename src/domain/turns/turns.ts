import type { Room } from '../../model/room.ts'
import type { Session } from '../../model/session.ts'
import { jsonSize } from '../../slices/stringify-json.ts'
import { createFairTurns } from './fair-turns.ts'
import { capacity, heavy } from './weights.ts'

/** Runs a session's work beside that of other principals; one principal's own work waits for its turn. */
export interface Turns {
  reading: Turn
  /** For reads whose result is the answer: it counts as memory of the request until it has left. One turn with `reading`. */
  answering: Turn
  /** Separate: writes wait for each other in the catalog, and reads must not wait behind them. */
  writing: Turn
  /** For the wait until the indexes have what was written. */
  indexing: Turn
}

type Turn = <T>(session: Session, weight: number, work: () => Promise<T>) => Promise<T>

export function createTurns(): Turns {
  const turns = createFairTurns(capacity)
  const reading: Turn = ({ principalId }, weight, work) => turns.run(`read ${principalId}`, weight, work)
  return {
    reading,
    answering: (session, weight, work) =>
      reading(session, weight, async () => {
        const { room } = session.facts
        await room?.more(weight >= heavy)
        const result = await work()
        if (room) holdIn(room, result)
        return result
      }),
    writing: ({ principalId }, weight, work) => turns.run(`write ${principalId}`, weight, work),
    indexing: ({ principalId }, weight, work) => turns.run(`index ${principalId}`, weight, work),
  }
}

/** Counts a result as memory of its request, until the answer has left. */
export const holdIn = (room: Room, result: unknown): void => room.hold(jsonSize(result, Number.POSITIVE_INFINITY))

/** Resolves when the work has its turn, with the promise of its result. Meanwhile the caller may keep another turn. */
export async function begun<T>(
  turn: Turn,
  session: Session,
  weight: number,
  work: () => Promise<T>,
): Promise<{ result: Promise<T> }> {
  const begins = Promise.withResolvers<void>()
  const result = turn(session, weight, () => {
    begins.resolve()
    return work()
  })
  await begins.promise
  return { result }
}

import { jsonSize } from '../../async/json.ts'
import { createLimiter } from '../../async/limits.ts'
import type { Room } from '../../model/request.ts'
import { isByScore, type SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'

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
  const limiter = createLimiter({ max: capacity })
  const turnsOf =
    (purpose: string): Turn =>
    ({ principalId }, weight, work) =>
      limiter.run({ key: `${purpose} ${principalId}`, weight }, work)
  const reading = turnsOf('read')
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
    writing: turnsOf('write'),
    indexing: turnsOf('index'),
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

/** How much work of one principal runs at a time: a dozen small searches, or one of the longest. */
export const capacity = 24

const sizes = { query: 512, hits: 16, batch: 32 * 1024 }

/**
 * A query weighs one, plus one per `sizes.query` characters, plus one per `sizes.hits` requested hits, plus one for each
 * further search that its answer may make, plus a quarter of the capacity for a picture, and another one if it looks beyond the
 * best hits.
 */
export const weightOfQuery = ({ image, ...query }: SearchQuery): number =>
  1 +
  jsonSize(query, capacity * sizes.query) / sizes.query +
  (query.topK * query.groupSize) / sizes.hits +
  furtherSearches(query) +
  (image === undefined ? 0 : heavy) +
  (looksFurther(query) ? heavy : 0)

const looksFurther = ({ offset, groupBy, sort, boost, facets }: SearchQuery): boolean =>
  offset > 0 || groupBy !== undefined || !isByScore(sort) || boost.length + facets.length > 0

const furtherSearches = ({ answer, agentic, maxSteps }: SearchQuery): number => (answer && agentic ? maxSteps - 1 : 0)

/** A batch weighs one, plus one per `sizes.batch` bytes. */
export const weightOfBatch = (input: object): number => 1 + jsonSize(input, capacity * sizes.batch) / sizes.batch

/** For work that is heavy with any input: a page of texts, a deletion, a check of a log. */
export const heavy = capacity / 4

export type Deadlines = ReturnType<typeof createDeadlines>

/**
 * The share of the remaining time that a stage may use when it begins. A stage that hangs leaves time for the others,
 * so a failing provider affects only its own part. Writing is by far the slowest.
 */
const shares = { embedding: 0.3, reranking: 0.3, planning: 0.2, writing: 0.75, judging: 1 }
const stepsShare = 0.4

/**
 * How long each stage of a search may wait for its provider, so that all end within `totalMs` from now. A stage requests
 * its signal when it begins.
 */
export function createDeadlines(totalMs: number) {
  const end = performance.now() + totalMs
  const signal = (share: number) =>
    AbortSignal.timeout(Math.max(0, Math.floor(share * Math.max(0, end - performance.now()))))
  return {
    forEmbedding: () => signal(shares.embedding),
    forReranking: () => signal(shares.reranking),
    forWriting: () => signal(shares.writing),
    forJudging: () => signal(shares.judging),
    forPlanning: () => signal(shares.planning),
    /** Whether there is time for a further search: most of it is for writing. */
    allowsStep: () => end - performance.now() > (1 - stepsShare) * totalMs,
  }
}

/** Whether an engine answers: known for a while after it did. */
export interface RecentPing {
  /** It answered a ping that began a moment ago. */
  isKnown(): boolean
  /** The ping that is on its way, or a new one. */
  ask(): Promise<void>
}

/** How long an answer counts, from the beginning of its ping. */
const keptMs = 1_000
/** Until then a ping is shared. One that takes longer may never end. */
const sharedMs = 2_000

/**
 * Pings an engine at most once at a time, and not again for a second after it answered. A failure does not count for
 * later, so that a recovery is seen at once.
 */
export function recentPing(ping: () => Promise<void>): RecentPing {
  let answeredAt = Number.NEGATIVE_INFINITY
  let asked: { at: number; answer: Promise<void> } | null = null

  const start = (at: number): Promise<void> => {
    const one = { at, answer: ping() }
    asked = one
    const finish = () => {
      if (asked === one) asked = null
    }
    one.answer.then(() => {
      answeredAt = Math.max(answeredAt, at)
      finish()
    }, finish)
    return one.answer
  }

  return {
    isKnown: () => performance.now() - answeredAt < keptMs,
    ask: () => {
      const now = performance.now()
      return asked !== null && now - asked.at < sharedMs ? asked.answer : start(now)
    },
  }
}

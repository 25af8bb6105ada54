import { type ErrorCode, ServiceError } from '../../errors.ts'
import type { AuditEntry, AuditOutcome } from '../../model/audit.ts'
import type { Session } from '../../model/session.ts'
import type { Clock } from '../../ports/clock.ts'
import { type Actor, auditEntry } from './audit-entry.ts'
import type { RecordQueue } from './record-queue.ts'

export interface RefusedRequest extends Actor {
  /** The home of who asked: nobody grows the log of a namespace by being refused there. */
  homeId: string
  /** The REST route or the GraphQL root field. */
  operation: string
  /** The namespace that was targeted, if it was granted. */
  namespace: string | null
}

/**
 * Records refusals of authenticated callers. Beyond a number of rows per principal and minute they are only counted, in
 * the minute's last row, so that nobody can fill a log at will.
 */
export interface RefusalRecorder {
  /** Records 402 and 403, nothing else; callers await it before they answer. */
  refused(request: RefusedRequest, error: unknown): Promise<void>
  /** Closes the minutes that are over; returns how many. */
  sweep(): Promise<number>
  /** Closes all. */
  stop(): Promise<number>
}

/** One principal's last minute. */
interface Minute {
  since: number
  rows: number
  /** The row that counts what comes after it, kept until the minute is over; a killed process loses it. */
  last: { homeId: string; entry: AuditEntry; more: number } | null
}

const minuteMs = 60_000
const outcomes: Partial<Record<ErrorCode, AuditOutcome>> = {
  upgrade_required: 'upgrade_required',
  quota_exceeded: 'quota_exceeded',
  forbidden: 'forbidden',
}

export function createRefusalRecorder(queue: RecordQueue, clock: Clock, rowsPerMinute = 200): RefusalRecorder {
  const minutes = new Map<string, Minute>()

  const write = async ({ last }: Minute) => {
    if (last) await queue.push(last.homeId, { ...last.entry, detail: { ...last.entry.detail, more: last.more } })
  }

  const close = async (isDue: (minute: Minute) => boolean) => {
    const due = [...minutes].filter(([, minute]) => isDue(minute))
    for (const [principalId] of due) minutes.delete(principalId)
    for (const [, minute] of due) await write(minute)
    return due.length
  }

  const isOver = ({ since }: Minute) => clock.now() - since >= minuteMs

  return {
    refused: async ({ homeId, operation, namespace, ...actor }, error) => {
      const outcome = error instanceof ServiceError ? outcomes[error.code] : undefined
      if (outcome === undefined) return
      const now = clock.now()
      const known = minutes.get(actor.principalId)
      const minute = known && !isOver(known) ? known : { since: now, rows: 0, last: null }
      minutes.set(actor.principalId, minute)
      if (known && known !== minute) await write(known)
      minute.rows += 1
      if (minute.last) {
        minute.last.more += 1
        return
      }
      const detail = { operation, ...(namespace === null ? {} : { namespace }) }
      const entry = auditEntry(actor, now, 'request.refused', null, detail, outcome)
      if (minute.rows === rowsPerMinute) minute.last = { homeId, entry, more: 0 }
      else await queue.push(homeId, entry)
    },
    sweep: () => close(isOver),
    stop: () => close(() => true),
  }
}

/** Of a caller whose session stands. The super-admin has no home, so its refusals are in no log. */
export async function recordRefusal(
  refusals: RefusalRecorder,
  { facts, namespace, principalId, requestId }: Session,
  operation: string,
  error: unknown,
): Promise<void> {
  const { superAdmin, home } = facts.caller
  if (superAdmin) return
  await refusals.refused({ principalId, requestId, homeId: home.id, operation, namespace: namespace.name }, error)
}

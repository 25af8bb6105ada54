import { type ErrorCode, ServiceError } from '../../errors.ts'
import { type AuditEntry, type AuditOutcome, auditEntry } from '../../model/audit.ts'
import type { Session } from '../../model/session.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RefusalRecorder } from '../access/authenticate.ts'
import type { RecordQueue } from './record-reads.ts'

/** One principal's last minute. Only operations, kinds and outcomes add counts: callers cannot add any. */
interface Minute {
  since: number
  rows: number
  counts: Map<string, Count>
}

/** The row that counts the refusals after it, until the minute is over; a killed process loses it. Null: no row yet. */
type Count = { homeId: string; entry: AuditEntry; more: number } | null

const minuteMs = 60_000
const outcomes: Partial<Record<ErrorCode, AuditOutcome>> = {
  upgrade_required: 'upgrade_required',
  quota_exceeded: 'quota_exceeded',
  forbidden: 'forbidden',
}

export function createRefusalRecorder(
  queue: RecordQueue,
  clock: Clock,
  counted: (homeId: string) => void = () => {},
  rowsPerMinute = 200,
): RefusalRecorder {
  const minutes = new Map<string, Minute>()

  const write = async ({ counts }: Minute) => {
    for (const count of counts.values()) {
      if (count) await queue.push(count.homeId, withMore(count))
    }
  }

  const close = async (isDue: (minute: Minute) => boolean) => {
    const due = [...minutes].filter(([, minute]) => isDue(minute))
    for (const [principalId] of due) minutes.delete(principalId)
    for (const [, minute] of due) await write(minute)
    return due.length
  }

  const isOver = ({ since }: Minute) => Math.abs(clock.now() - since) >= minuteMs

  return {
    refused: async ({ homeId, operation, namespace, kind, ...actor }, error) => {
      const outcome = error instanceof ServiceError ? outcomes[error.code] : undefined
      if (outcome === undefined) return
      counted(homeId)
      const now = clock.now()
      const known = minutes.get(actor.principalId)
      const minute = known && !isOver(known) ? known : { since: now, rows: 0, counts: new Map<string, Count>() }
      minutes.set(actor.principalId, minute)
      if (known && known !== minute) await write(known)
      minute.rows += 1
      const key = [operation, kind, outcome].join(' ')
      const count = minute.counts.get(key)
      if (count) {
        count.more += 1
        if (count.entry.detail.namespace !== (namespace ?? undefined)) count.entry = withoutNamespace(count.entry)
        return
      }
      const detail = { operation, ...(namespace === null ? {} : { namespace }) }
      const entry = auditEntry(actor, now, 'request.refused', null, detail, outcome)
      if (minute.rows < rowsPerMinute || count === undefined) {
        minute.counts.set(key, null)
        await queue.push(homeId, entry)
      } else minute.counts.set(key, { homeId, entry, more: 0 })
    },
    sweep: () => close(isOver),
    stop: () => close(() => true),
  }
}

/** Records the refusal of an authenticated caller. The super-admin has no home, so its refusals are in no log. */
export async function recordRefusal(
  refusals: RefusalRecorder,
  { facts, namespace, principalId, requestId, via, client }: Session,
  operation: string,
  error: unknown,
): Promise<void> {
  const { superAdmin, home } = facts.caller
  if (superAdmin) return
  const kind = home.id === namespace.id ? 'home' : 'granted'
  await refusals.refused(
    { principalId, requestId, via, client, homeId: home.id, operation, namespace: namespace.name, kind },
    error,
  )
}

const withMore = ({ entry, more }: NonNullable<Count>): AuditEntry => ({ ...entry, detail: { ...entry.detail, more } })

/** A row that counts for several namespaces names none. */
const withoutNamespace = (entry: AuditEntry): AuditEntry => {
  const { namespace: _, ...detail } = entry.detail
  return { ...entry, detail }
}

import type { AuditAction, AuditEntry, AuditOutcome } from './audit.ts'

/** Who did it, and in which request; a Session is one. */
export interface Actor {
  principalId: string
  requestId: string
}

/** What is recorded: of a mutation, in its own transaction. */
export const auditEntry = (
  { principalId, requestId }: Actor,
  time: number,
  action: AuditAction,
  target: string | null,
  detail: AuditEntry['detail'],
  outcome: AuditOutcome = 'ok',
): AuditEntry => ({ time, principalId, action, target, outcome, requestId, detail })

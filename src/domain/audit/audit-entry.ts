import type { AuditAction, AuditEntry } from '../../model/audit.ts'

/** Who did it, and in which request; a Session is one. */
export interface Actor {
  principalId: string
  requestId: string
}

/** What a mutation records in its own transaction. */
export const auditEntry = (
  { principalId, requestId }: Actor,
  time: number,
  action: AuditAction,
  target: string | null,
  detail: AuditEntry['detail'],
): AuditEntry => ({ time, principalId, action, target, outcome: 'ok', requestId, detail })

import type { AuditAction, AuditEntry, AuditOutcome } from './audit.ts'

/** Who did it, and in which request. A Session is an actor. */
export interface Actor {
  principalId: string
  requestId: string
  /** The protocol of the request, if it is neither REST nor GraphQL; it is added to the detail. */
  via?: string | undefined
  /** The OAuth client that a person lets act, if it was one; it is added to the detail. */
  client?: string | undefined
}

/** Builds an entry. For a mutation, record it in the mutation's transaction. */
export const auditEntry = (
  { principalId, requestId, via, client }: Actor,
  time: number,
  action: AuditAction,
  target: string | null,
  detail: AuditEntry['detail'],
  outcome: AuditOutcome = 'ok',
): AuditEntry => ({
  time,
  principalId,
  action,
  target,
  outcome,
  requestId,
  detail: { ...detail, ...(via !== undefined && { via }), ...(client !== undefined && { client }) },
})

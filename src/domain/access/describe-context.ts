import { type Permission, permissions } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'

/** The resolved access context, as callers see it. It is only for display. */
export interface ContextView {
  principal: { principalId: string; namespace: string; readOnly: boolean; groups: readonly string[] }
  activeScope: string
  requestedScope: string
  effectiveScopes: string[]
  allowedScopes: string[]
  perms: Permission[]
  foldersVisible: number
  foldersTotal: number
}

export function describeContext(session: Session): ContextView {
  const { caller, scopes } = session.facts
  const requested = session.requestedScope
  const readable = session.scopesWith('read')
  const visible = session.visibleScopes.map((s) => s.scope)
  const effective = session.scopesInReach('read').map((s) => s.scope)
  if (requested !== '*' && readable.covers(requested) && !effective.includes(requested)) effective.unshift(requested)
  return {
    principal: {
      principalId: session.principalId,
      namespace: caller.home.name,
      readOnly: caller.readOnly,
      groups: session.requestedGroups,
    },
    activeScope: session.activeScope,
    requestedScope: requested,
    effectiveScopes: effective,
    allowedScopes: visible,
    perms: permissions.filter((perm) =>
      requested === '*' ? session.scopesWith(perm).some : session.may(perm, requested),
    ),
    foldersVisible: visible.length,
    foldersTotal: scopes.length,
  }
}

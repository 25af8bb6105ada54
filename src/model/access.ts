import type { Grant, KeyRestrictions, Permission, Principal, Scope } from './registry.ts'
import { covers, overlap, type ScopePattern } from './scope-path.ts'

/** What decides which permissions a principal has, and where in a namespace. */
export interface AccessFacts {
  caller: Pick<Principal, 'kind' | 'readOnly'> & { superAdmin: boolean }
  /** The caller's grants in that namespace. */
  grants: readonly Grant[]
  /** The namespace's registered scopes. */
  scopes: readonly Scope[]
  restrictions: KeyRestrictions
}

export interface AllowedScopes {
  covers(path: ScopePattern): boolean
  /** False when no place has the permission. */
  some: boolean
  /** Everything covered is at or below one of these. */
  roots: readonly ScopePattern[]
}

/** Where the caller has this permission. */
export function allowedScopes(facts: AccessFacts, perm: Permission): AllowedScopes {
  const { caller, restrictions } = facts
  if (caller.superAdmin) return { covers: () => true, some: true, roots: ['*'] }
  const barred = isBarred(facts, perm) || restrictions.perms?.includes(perm) === false
  const granted = barred ? [] : grantsOf(facts, perm).map((grant) => grant.scope)
  const prefix = restrictions.scopePrefix ?? '*'
  const closed = closedScopes(facts, perm)
  const isClosed = (path: ScopePattern) => closed.some((scope) => covers(scope, path))
  // When a grant and a key's prefix overlap, the narrower one counts.
  const roots = granted
    .map((scope) => overlap(scope, prefix))
    .filter((root) => root !== null)
    .filter((root) => !isClosed(root))
  return {
    covers: (path) => granted.some((scope) => covers(scope, path)) && covers(prefix, path) && !isClosed(path),
    some: roots.length > 0,
    roots,
  }
}

/** The grants that carry a permission, before any restriction. */
export const grantsOf = ({ grants }: AccessFacts, perm: Permission): Grant[] =>
  grants.filter((grant) => grant.perms.includes(perm))

/** A read-only principal only reads, regardless of its grants. */
export const isBarred = ({ caller }: AccessFacts, perm: Permission): boolean => caller.readOnly && perm !== 'read'

/** The scopes where the permission is closed to the caller, with all scopes below, regardless of its grants. */
export const closedScopes = ({ caller, scopes }: AccessFacts, perm: Permission): string[] =>
  caller.kind === 'agent' && perm !== 'read' ? scopes.filter((s) => s.readOnlyAgents).map((s) => s.scope) : []

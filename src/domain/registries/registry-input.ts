import { z } from 'zod'
import { forbidden } from '../../errors.ts'
import { isScopePath, type ScopePattern } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'
import { label, text } from '../input/parse.ts'

const unique = (values: readonly string[]) => new Set(values).size === values.length

/** A list without repetition. */
export const uniqueList = <T extends z.ZodType<string>>(item: T, max: number) =>
  z.array(item).max(max, `must be at most ${max}`).refine(unique, 'must not repeat')

/** The readable part of a token. */
export const tokenName = text(32).regex(/^[A-Za-z0-9-]{1,32}$/, 'must be 1-32 of A-Z, a-z, 0-9 and -')

/** What names a record in the registry. */
export const idInput = z.strictObject({ id: label() })

export const groupList = uniqueList(label(), 64).default([])

export const scopePattern = label(256).refine(
  (scope: ScopePattern) => scope === '*' || isScopePath(scope),
  'must be a scope path or *',
)

/**
 * A group opens what its members may read, so an admin hands out its own, where they count; the namespace's owner any.
 */
export function requireGroups(
  session: Session,
  owner: string | null,
  groups: readonly string[],
  scope: ScopePattern,
): void {
  const { caller, restrictions } = session.facts
  if (caller.superAdmin || (owner === session.principalId && restrictions.groups === undefined)) return
  const own = session.groupsAt(scope)
  if (!groups.every((group) => own.includes(group))) throw forbidden(`groups: only groups of your own on ${scope}`)
}

import { useMemo } from 'react'
import { usePages, useRest } from '../../graphql/pages.ts'
import { useSession } from '../../session/session.tsx'
import {
  DirectoryGroupsDocument,
  type DirectoryGroupsQuery,
  DirectoryGuestsDocument,
  type DirectoryGuestsQuery,
  DirectoryPrincipalsDocument,
  type DirectoryPrincipalsQuery,
} from './generated/graphql.ts'
import { groupOfPerson, isPerson } from './words.ts'

/** Of each kind; others can be typed. */
const most = 1_000

const groupsOf = ({ groups }: DirectoryGroupsQuery) => (groups ? { ...groups, rows: groups.groups } : null)
const principalsOf = ({ principals }: DirectoryPrincipalsQuery) =>
  principals ? { ...principals, rows: principals.principals } : null
const guestsOf = ({ grants }: DirectoryGuestsQuery) => (grants ? { ...grants, rows: grants.grants } : null)

export interface Directory {
  /** Groups and people, as a Unit names them, with what they are called. */
  names: ReadonlyMap<string, string>
  /** People from other namespaces, as a Unit names them. */
  guests: ReadonlySet<string>
  /** An admin principal, who sees all of them. Others see the groups that they are in. */
  isAdmin: boolean
}

/** Whom one can name as a reader. */
export function useDirectory(): Directory {
  const { context, as } = useSession()
  // Anyone else would only be refused, and each refusal is in the audit log.
  const enabled = as === undefined && (context?.perms.includes('admin') ?? false)
  const groups = usePages(DirectoryGroupsDocument, { limit: 100 }, groupsOf, { enabled })
  const isAdmin = enabled && !groups.isPending && groups.error === null
  const principals = usePages(DirectoryPrincipalsDocument, { limit: 100 }, principalsOf, { enabled: isAdmin })
  const guestGrants = usePages(DirectoryGuestsDocument, { limit: 100 }, guestsOf, { enabled: isAdmin })
  useRest(groups, most)
  useRest(principals, most)
  useRest(guestGrants, most)
  const own = context?.principal.groups
  const names = useMemo(() => {
    const named = isAdmin ? groups.rows : (own ?? []).map((name) => ({ name, displayName: null }))
    const people = [
      ...guestGrants.rows.map(({ principalId: id, principalName: name }) => ({ id, name, email: null })),
      ...principals.rows.map(({ principalId: id, name, email }) => ({ id, name, email })),
    ]
    return new Map([
      ...named
        .filter(({ name }) => name !== '*' && !isPerson(name))
        .map(
          ({ name, displayName }) => [name, displayName ? `${displayName} (group ${name})` : `group ${name}`] as const,
        ),
      ...people.map(({ id, name, email }) => [groupOfPerson(id), nameWith(id, name, email)] as const),
    ])
  }, [isAdmin, groups.rows, principals.rows, guestGrants.rows, own])
  const homed = useMemo(() => new Set(principals.rows.map(({ principalId }) => principalId)), [principals.rows])
  const guests = useMemo(
    () =>
      new Set(
        guestGrants.rows.filter((one) => !homed.has(one.principalId)).map((one) => groupOfPerson(one.principalId)),
      ),
    [guestGrants.rows, homed],
  )
  return { names, guests, isAdmin }
}

/** People may have the same name. */
const nameWith = (id: string, name: string | null | undefined, email: string | null | undefined) =>
  name ? `${name} (${email ?? id})` : (email ?? id)

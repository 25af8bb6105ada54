import { useMemo } from 'react'
import { PageLink } from '../../components/page-link.tsx'
import { Person } from '../../components/person.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { Column } from '../../components/table.tsx'
import { scopeText } from '../../components/words.ts'
import { Invite } from './invite.tsx'
import { ListWithForm } from './list-with-form.tsx'
import { type Grant, type Principal, useEverybody } from './lists.ts'

interface Member {
  principalId: string
  /** Undefined for a guest: one from another namespace. */
  principal: Principal | undefined
  grants: readonly Grant[]
}

/** Everyone who has a home or a grant here, with what they may do. */
export function Members() {
  const all = useEverybody()
  const rows = useMemo(() => membersOf(all.principals, all.grants), [all.principals, all.grants])
  return (
    <ListWithForm
      make="Invite"
      form={(close) => <Invite onDone={close} />}
      error={null}
      label="Members"
      columns={columns}
      list={{ ...all, rows, count: rows.length }}
      rowKey={({ principalId }) => principalId}
      empty="Nobody is here yet. Invite someone, or make a principal."
    />
  )
}

function membersOf(principals: readonly Principal[], grants: readonly Grant[]): Member[] {
  const byId = new Map<string, Member>(
    principals.map((principal) => [
      principal.principalId,
      { principalId: principal.principalId, principal, grants: [] },
    ]),
  )
  for (const grant of grants) {
    const { principalId } = grant
    const member = byId.get(principalId) ?? { principalId, principal: undefined, grants: [] }
    byId.set(principalId, { ...member, grants: [...member.grants, grant] })
  }
  return [...byId.values()]
}

const columns: readonly Column<Member>[] = [
  {
    title: 'Principal',
    width: 'minmax(160px, 1fr)',
    cell: (member) => <Person id={member.principalId} name={nameIn(member)} />,
  },
  { title: 'Kind', width: '128px', cell: ({ principal }) => (principal ? kindOf(principal) : 'guest') },
  { title: 'May', width: 'minmax(176px, 2fr)', cell: ({ grants }) => <SafeText>{rightsOf(grants)}</SafeText> },
  { title: 'Groups', cell: (member) => <SafeText>{groupsOf(member).join(', ')}</SafeText> },
  {
    title: 'Look',
    width: '144px',
    cell: ({ principalId }) => (
      <span className="flex gap-3">
        <PageLink to="/search" search={{ as: principalId, scope: undefined }}>
          View as
        </PageLink>
        <PageLink to="/access/explain" search={{ principal: principalId }}>
          Explain
        </PageLink>
      </span>
    ),
  },
]

const nameIn = ({ principal, grants }: Member) => principal?.name ?? grants[0]?.principalName
const kindOf = ({ kind, readOnly }: Principal) => (readOnly ? `${kind}, read only` : kind)
const rightsOf = (grants: readonly Grant[]) =>
  grants.length === 0
    ? 'nothing'
    : grants.map(({ scope, perms }) => `${scopeText(scope)}: ${perms.join(', ')}`).join('; ')
const groupsOf = ({ principal, grants }: Member) => [
  ...new Set(principal ? principal.groups : grants.flatMap(({ groups }) => groups)),
]

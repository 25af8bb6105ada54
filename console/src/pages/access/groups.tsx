import { useMemo } from 'react'
import { SafeText } from '../../components/safe-text.tsx'
import type { Column } from '../../components/table.tsx'
import { AccessTable } from './access-table.tsx'
import { useEverybody } from './lists.ts'

interface Group {
  name: string
  members: readonly string[]
}

/** Groups are the names that principals and grants carry: there is no list of them elsewhere. */
export function Groups() {
  const all = useEverybody()
  const rows = useMemo(() => {
    const carriers = [...all.principals, ...all.grants]
    const byName = Map.groupBy(
      carriers.flatMap(({ groups, principalId }) => groups.map((name) => ({ name, principalId }))),
      ({ name }) => name,
    )
    const groups = [...byName].map(([name, of]) => ({ name, members: [...new Set(of.map((one) => one.principalId))] }))
    return groups.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }, [all.principals, all.grants])
  return (
    <AccessTable
      label="Groups"
      columns={columns}
      list={{ ...all, rows, count: rows.length }}
      rowKey={({ name }) => name}
      empty="No group yet. Name one when you make a principal, a grant or an invitation."
    />
  )
}

const columns: readonly Column<Group>[] = [
  { title: 'Group', cell: ({ name }) => <SafeText>{name}</SafeText> },
  { title: 'Number', width: '88px', align: 'end', cell: ({ members }) => members.length },
  { title: 'Members', width: 'minmax(176px, 3fr)', cell: ({ members }) => <SafeText>{members.join(', ')}</SafeText> },
]

import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { Column } from '../../components/table.tsx'
import { numberText } from '../../components/words.ts'
import { useChange } from '../../graphql/hooks.ts'
import { usePages } from '../../graphql/pages.ts'
import { EditGroup, type Group, GroupNameFields, PickPeople } from './edit-group.tsx'
import { FormPanel } from './form-panel.tsx'
import { ChangeGroupDocument, GroupsDocument, type GroupsQuery } from './generated/graphql.ts'
import { ListWithForm } from './list-with-form.tsx'

const groupsOf = ({ groups }: GroupsQuery) => (groups ? { ...groups, rows: groups.groups } : null)

/** Groups with their members and the groups that they hold, and what changes them. */
export function Groups() {
  const list = usePages(GroupsDocument, { limit: 100 }, groupsOf)
  const [edited, setEdited] = useState<string | null>(null)
  const group = list.rows.find(({ name }) => name === edited)
  const columns: readonly Column<Group>[] = [
    {
      title: 'Group',
      width: 'minmax(160px, 2fr)',
      cell: ({ name, displayName }) => (
        <>
          {displayName && <SafeText>{`${displayName} `}</SafeText>}
          <SafeText className={displayName ? 'text-small text-muted' : ''}>{name}</SafeText>
        </>
      ),
    },
    { title: 'Members', width: '96px', align: 'end', cell: ({ members }) => numberText(members) },
    { title: 'Holds', cell: ({ groups }) => <SafeText>{groups.join(', ')}</SafeText> },
    { title: 'Units', width: '88px', align: 'end', cell: ({ units }) => numberText(units) },
    { title: 'From', width: '136px', cell: ({ source }) => sources[source] },
    {
      title: 'Change',
      width: '104px',
      cell: ({ name }) => (
        <Button look="row" aria-label={`Edit ${name}`} onClick={() => setEdited(name)}>
          Edit
        </Button>
      ),
    },
  ]
  return (
    <>
      <ListWithForm
        make="New group"
        form={(close) => <NewGroup onDone={close} />}
        error={null}
        label="Groups"
        columns={columns}
        list={list}
        rowKey={({ name }) => name}
        empty="No group yet. Make one, or name one when you share something."
      />
      {group && <EditGroup key={group.name} group={group} onRename={setEdited} onClose={() => setEdited(null)} />}
    </>
  )
}

const sources = { manual: 'admins', scim: 'directory', idp: 'sign-in' } as const

function NewGroup({ onDone }: { onDone(): void }) {
  const change = useChange(ChangeGroupDocument)
  const [name, setName] = useState('')
  const [displayName, setDisplayName] = useState('')
  const [people, setPeople] = useState<string[]>([])
  const input = { ...(displayName === '' ? {} : { displayName }), ...(people.length === 0 ? {} : { add: people }) }
  return (
    <FormPanel
      label="New group"
      action="Make group"
      change={change}
      disabled={name.trim() === '' || Object.keys(input).length === 0}
      onSubmit={() => change.mutate({ name: name.trim(), input }, { onSuccess: onDone })}
    >
      <GroupNameFields name={name} displayName={displayName} onName={setName} onDisplayName={setDisplayName} />
      <PickPeople label="First members" chosen={people} onChange={setPeople} />
      <p className="order-last w-full text-small text-muted">
        You can put people into groups that you are in; the owner of the namespace into any. A group needs a name for
        people, or a member.
      </p>
    </FormPanel>
  )
}

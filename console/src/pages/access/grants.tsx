import { useState } from 'react'
import { Combobox } from '../../components/combobox.tsx'
import { nameOf, Person } from '../../components/person.tsx'
import { useDirectory } from '../../components/readers/use-directory.ts'
import { groupOfPerson, isPerson } from '../../components/readers/words.ts'
import { SafeText } from '../../components/safe-text.tsx'
import type { Column } from '../../components/table.tsx'
import { dayText } from '../../components/when.tsx'
import { scopeText, scopeTitle } from '../../components/words.ts'
import { useChange } from '../../graphql/hooks.ts'
import { FormPanel } from './form-panel.tsx'
import { CreateGrantDocument, DeleteGrantDocument } from './generated/graphql.ts'
import { ListWithForm, revokeColumn } from './list-with-form.tsx'
import { type Grant, useGrants } from './lists.ts'
import { RightsFields, useRights } from './rights-fields.tsx'

/** What principals may do, and where. */
export function Grants() {
  const list = useGrants()
  const revoke = useChange(DeleteGrantDocument)
  const columns: readonly Column<Grant>[] = [
    {
      title: 'Principal',
      width: 'minmax(160px, 2fr)',
      cell: ({ principalId, principalName }) => <Person id={principalId} name={principalName} />,
    },
    { title: 'Scope', cell: ({ scope }) => <SafeText>{scopeTitle(scope)}</SafeText> },
    { title: 'May', width: '160px', cell: ({ perms }) => perms.join(', ') },
    { title: 'Groups', cell: ({ groups }) => <SafeText>{groups.join(', ')}</SafeText> },
    { title: 'From', cell: ({ grantedBy, grantedByName }) => <Person id={grantedBy} name={grantedByName} /> },
    { title: 'Ends', width: '104px', cell: ({ expiresAt }) => dayText(expiresAt) || 'never' },
    revokeColumn(
      revoke,
      ({ principalId, principalName, perms, scope }) =>
        `${nameOf(principalId, principalName)} may no longer ${perms.join(', ')} in ${scopeText(scope)}.`,
    ),
  ]
  return (
    <ListWithForm
      make="New grant"
      form={(close) => <NewGrant onDone={close} />}
      error={revoke.error}
      label="Grants"
      columns={columns}
      list={list}
      rowKey={({ id }) => id}
      empty="No grant yet. Give a principal the right to read, write or administer a scope."
    />
  )
}

function NewGrant({ onDone }: { onDone(): void }) {
  const create = useChange(CreateGrantDocument)
  const [principalId, setPrincipalId] = useState('')
  const [typed, setTyped] = useState('')
  const rights = useRights()
  const { names } = useDirectory()
  const people = [...names.keys()].filter(isPerson).map((group) => group.slice(groupOfPerson('').length))
  const isNew = /^(user|principal|service|agent)_\w+$/.test(typed) && !people.includes(typed)
  return (
    <FormPanel
      label="New grant"
      action="Grant"
      change={create}
      disabled={rights.perms.length === 0 || principalId === ''}
      onSubmit={() => create.mutate({ input: { principalId, ...rights.input } }, { onSuccess: onDone })}
    >
      <Combobox
        label="Principal"
        showLabel
        className="min-w-64"
        items={isNew ? [...people, typed] : people}
        nameOf={(id) => names.get(groupOfPerson(id)) ?? id}
        value={principalId}
        onChange={setPrincipalId}
        onType={setTyped}
      />
      <RightsFields rights={rights} scopeLabel="Grant scope" groupsHint="For a principal from elsewhere" />
    </FormPanel>
  )
}

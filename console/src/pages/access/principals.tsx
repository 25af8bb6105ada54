import { useState } from 'react'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Field } from '../../components/field.tsx'
import { nameOf, Person } from '../../components/person.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { Column } from '../../components/table.tsx'
import { When } from '../../components/when.tsx'
import { useChange } from '../../graphql/hooks.ts'
import { useSession } from '../../session/session.tsx'
import { EditPrincipal } from './edit-principal.tsx'
import { FormPanel } from './form-panel.tsx'
import { CreatePrincipalDocument, DeletePrincipalDocument, type PrincipalKind } from './generated/graphql.ts'
import { ListWithForm } from './list-with-form.tsx'
import { type Principal, usePrincipals } from './lists.ts'
import { GroupsField } from './rights-fields.tsx'
import { ShownOnce } from './shown-once.tsx'
import { groupsOf } from './words.ts'

/** Users, services and agents whose home this is. */
export function Principals() {
  const { context } = useSession()
  const list = usePrincipals()
  const remove = useChange(DeletePrincipalDocument)
  const columns: readonly Column<Principal>[] = [
    {
      title: 'Principal',
      width: 'minmax(160px, 2fr)',
      cell: ({ principalId, name }) => <Person id={principalId} name={name} />,
    },
    { title: 'E-mail', cell: ({ email }) => <SafeText>{email ?? ''}</SafeText> },
    { title: 'Kind', width: '88px', cell: ({ kind }) => kind },
    { title: 'Read only', width: '104px', cell: ({ readOnly }) => (readOnly ? 'yes' : '') },
    { title: 'Groups', cell: ({ groups }) => <SafeText>{groups.join(', ')}</SafeText> },
    { title: 'Made', width: '192px', cell: ({ createdAt }) => <When at={createdAt} /> },
    {
      title: 'Change',
      width: '136px',
      cell: (principal) => (
        <span className="flex gap-6">
          <EditPrincipal {...principal} />
          <ConfirmButton
            look="row"
            question="Delete with its keys"
            what={whatEnds(principal, context?.principal.principalId)}
            busy={remove.isPending}
            onClick={() => remove.mutate({ id: principal.principalId })}
          >
            Delete
          </ConfirmButton>
        </span>
      ),
    },
  ]
  return (
    <ListWithForm
      make="New principal"
      form={() => <NewPrincipal />}
      error={remove.error}
      label="Principals"
      columns={columns}
      list={list}
      rowKey={({ principalId }) => principalId}
      empty="No principal has its home here."
    />
  )
}

function whatEnds({ principalId, name }: Principal, me: string | undefined): string {
  const what = `${nameOf(principalId, name)} loses its keys, its grants and its place in every group, for good.`
  return principalId === me ? `This is you: you are signed out and cannot come back. ${what}` : what
}

const kinds: readonly PrincipalKind[] = ['user', 'service', 'agent']

function NewPrincipal() {
  const create = useChange(CreatePrincipalDocument)
  const [kind, setKind] = useState<PrincipalKind>('service')
  const [name, setName] = useState('')
  const [groups, setGroups] = useState('')
  const [readOnly, setReadOnly] = useState(false)
  const made = create.data?.createPrincipal
  if (made)
    return (
      <ShownOnce label={`Key of ${made.principalId}`} hint="Keep it now." value={made.token} onDone={create.reset} />
    )
  return (
    <FormPanel
      label="New principal"
      action="Make principal"
      change={create}
      onSubmit={() => create.mutate({ input: { kind, groups: groupsOf(groups), readOnly, ...(name ? { name } : {}) } })}
    >
      <fieldset className="flex flex-wrap items-center gap-x-4">
        <legend className="mb-1">Kind</legend>
        {kinds.map((one) => (
          <label key={one} className="flex min-h-8 items-center gap-2">
            <input type="radio" name="kind" checked={kind === one} onChange={() => setKind(one)} />
            {one}
          </label>
        ))}
      </fieldset>
      <Field
        label="Name"
        maxLength={128}
        hint="For people to read"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <GroupsField hint="Separated by commas" value={groups} onChange={setGroups} />
      <label className="flex min-h-8 wide:mt-6 items-center gap-2">
        <input type="checkbox" checked={readOnly} onChange={({ target }) => setReadOnly(target.checked)} />
        Read only
      </label>
      <p className="order-last w-full text-small text-muted">It can do nothing until a grant gives it something.</p>
    </FormPanel>
  )
}

import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Field } from '../../components/field.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { Column } from '../../components/table.tsx'
import { useChange } from '../../graphql/hooks.ts'
import { useSession } from '../../session/session.tsx'
import { AccessTable } from './access-table.tsx'
import { Choices } from './choices.tsx'
import { CreateGrantDocument, DeleteGrantDocument, type Permission } from './generated/graphql.ts'
import { type Grant, useGrants } from './lists.ts'
import { dateText, groupsOf, permissions } from './words.ts'

/** What principals may do, and where. */
export function Grants() {
  const list = useGrants()
  const revoke = useChange(DeleteGrantDocument)
  const [isOpen, setOpen] = useState(false)
  const columns: readonly Column<Grant>[] = [
    { title: 'Principal', width: 'minmax(160px, 2fr)', cell: ({ principalId }) => <SafeText>{principalId}</SafeText> },
    { title: 'Scope', cell: ({ scope }) => <SafeText>{scope}</SafeText> },
    { title: 'May', width: '136px', cell: ({ perms }) => perms.join(', ') },
    { title: 'Groups', cell: ({ groups }) => <SafeText>{groups.join(', ')}</SafeText> },
    { title: 'From', cell: ({ grantedBy }) => <SafeText>{grantedBy}</SafeText> },
    { title: 'Ends', width: '192px', cell: ({ expiresAt }) => dateText(expiresAt) || 'never' },
    {
      title: 'Change',
      width: '104px',
      cell: ({ id }) => (
        <Button look="quiet" className="h-7!" busy={revoke.isPending} onClick={() => revoke.mutate({ id })}>
          Revoke
        </Button>
      ),
    },
  ]
  return (
    <>
      <div>
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          New grant
        </Button>
      </div>
      {isOpen && <NewGrant onDone={() => setOpen(false)} />}
      {revoke.error && <Problem error={revoke.error} />}
      <AccessTable label="Grants" columns={columns} list={list} rowKey={({ id }) => id} empty="No grant yet." />
    </>
  )
}

function NewGrant({ onDone }: { onDone(): void }) {
  const { context } = useSession()
  const create = useChange(CreateGrantDocument)
  const [principalId, setPrincipalId] = useState('')
  const [scope, setScope] = useState('*')
  const [perms, setPerms] = useState<Permission[]>(['read'])
  const [groups, setGroups] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ input: { principalId, scope, perms, groups: groupsOf(groups) } }, { onSuccess: onDone })
  }
  return (
    <form
      aria-label="New grant"
      className="flex flex-wrap items-start gap-4 rounded-surface border border-line bg-surface p-4"
      onSubmit={submit}
    >
      <Field
        label="Principal"
        required
        className="min-w-64"
        value={principalId}
        onChange={({ target }) => setPrincipalId(target.value.trim())}
      />
      <Combobox
        label="Grant scope"
        showLabel
        items={['*', ...(context?.allowedScopes ?? [])]}
        value={scope}
        onChange={setScope}
      />
      <Choices label="Permissions" options={permissions} chosen={perms} onChange={setPerms} />
      <Field
        label="Groups"
        hint="For a principal from elsewhere"
        value={groups}
        onChange={({ target }) => setGroups(target.value)}
      />
      <Button type="submit" look="primary" className="mt-6" busy={create.isPending} disabled={perms.length === 0}>
        Grant
      </Button>
      {create.error && <Problem error={create.error} />}
    </form>
  )
}

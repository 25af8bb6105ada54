import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Field } from '../../components/field.tsx'
import { Problem } from '../../components/problem.tsx'
import { useChange } from '../../graphql/hooks.ts'
import { useSession } from '../../session/session.tsx'
import { Choices } from './choices.tsx'
import { CreateInvitationDocument, type Permission } from './generated/graphql.ts'
import { ShownOnce } from './shown-once.tsx'
import { groupsOf, permissions } from './words.ts'

/** Makes a link, and shows it once. */
export function Invite({ onDone }: { onDone(): void }) {
  const { context } = useSession()
  const create = useChange(CreateInvitationDocument)
  const [scope, setScope] = useState('*')
  const [perms, setPerms] = useState<Permission[]>(['read'])
  const [groups, setGroups] = useState('')
  const [email, setEmail] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ input: { scope, perms, groups: groupsOf(groups), ...(email === '' ? {} : { email }) } })
  }
  const url = create.data?.createInvitation?.url
  if (url !== undefined)
    return <ShownOnce label="Invitation link" value={new URL(url, location.origin).href} onDone={onDone} />
  return (
    <form
      aria-label="Invite"
      className="flex flex-wrap items-start gap-4 rounded-surface border border-line bg-surface p-4"
      onSubmit={submit}
    >
      <Combobox
        label="Invitation scope"
        showLabel
        items={['*', ...(context?.allowedScopes ?? [])]}
        value={scope}
        onChange={setScope}
      />
      <Choices label="Permissions" options={permissions} chosen={perms} onChange={setPerms} />
      <Field
        label="Groups"
        hint="Separated by commas"
        value={groups}
        onChange={({ target }) => setGroups(target.value)}
      />
      <Field
        label="E-mail"
        type="email"
        hint="Empty: anyone with the link"
        value={email}
        onChange={({ target }) => setEmail(target.value.trim())}
      />
      <Button type="submit" look="primary" className="mt-6" busy={create.isPending} disabled={perms.length === 0}>
        Make link
      </Button>
      {create.error && <Problem error={create.error} />}
    </form>
  )
}

import { useState } from 'react'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../graphql/hooks.ts'
import { FormPanel } from './form-panel.tsx'
import { CreateInvitationDocument } from './generated/graphql.ts'
import { RightsFields, useRights } from './rights-fields.tsx'
import { ShownOnce } from './shown-once.tsx'

/** Makes a link, and shows it once. */
export function Invite({ onDone }: { onDone(): void }) {
  const create = useChange(CreateInvitationDocument)
  const rights = useRights()
  const [email, setEmail] = useState('')
  const url = create.data?.createInvitation?.url
  if (url !== undefined)
    return <ShownOnce label="Invitation link" value={new URL(url, location.origin).href} onDone={onDone} />
  return (
    <FormPanel
      label="Invite"
      action="Make link"
      change={create}
      disabled={rights.perms.length === 0}
      onSubmit={() => create.mutate({ input: { ...rights.input, ...(email === '' ? {} : { email }) } })}
    >
      <RightsFields rights={rights} scopeLabel="Invitation scope" groupsHint="Separated by commas" />
      <Field
        label="E-mail"
        type="email"
        hint="Empty: anyone with the link"
        value={email}
        onChange={({ target }) => setEmail(target.value.trim())}
      />
    </FormPanel>
  )
}

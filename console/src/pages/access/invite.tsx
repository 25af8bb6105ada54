import { useState } from 'react'
import { Field } from '../../components/field.tsx'
import { useChange, useGraphql } from '../../graphql/hooks.ts'
import { FormPanel } from './form-panel.tsx'
import { AddressProofDocument, CreateInvitationDocument } from './generated/graphql.ts'
import { RightsFields, useRights } from './rights-fields.tsx'
import { ShownOnce } from './shown-once.tsx'

/** Makes a link, and shows it once. */
export function Invite({ onDone }: { onDone(): void }) {
  const create = useChange(CreateInvitationDocument)
  const rights = useRights()
  const [email, setEmail] = useState('')
  const ways = useGraphql(AddressProofDocument, {}).data?.signInOptions
  // That the person has the address.
  const proves = Boolean(ways?.passwordReset || ways?.oidc)
  const url = create.data?.createInvitation?.url
  if (url !== undefined)
    return (
      <ShownOnce
        label="Invitation link"
        hint="Send it to whom you invite: it works once, within seven days."
        value={new URL(url, location.origin).href}
        onDone={onDone}
      />
    )
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
        hint={proves ? 'Empty: anyone with the link' : 'Needs a service that sends mails, or single sign-on'}
        disabled={!proves}
        value={email}
        onChange={({ target }) => setEmail(target.value.trim())}
      />
    </FormPanel>
  )
}

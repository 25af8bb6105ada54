import { Person } from '../../components/person.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { Column } from '../../components/table.tsx'
import { When } from '../../components/when.tsx'
import { scopeTitle } from '../../components/words.ts'
import { useChange } from '../../graphql/hooks.ts'
import { usePages } from '../../graphql/pages.ts'
import { InvitationsDocument, type InvitationsQuery, RevokeInvitationDocument } from './generated/graphql.ts'
import { Invite } from './invite.tsx'
import { ListWithForm, revokeColumn } from './list-with-form.tsx'

type Invitation = NonNullable<InvitationsQuery['invitations']>['invitations'][number]

const pick = ({ invitations }: InvitationsQuery) =>
  invitations ? { ...invitations, rows: invitations.invitations } : null

/** Links that give a grant to the person who accepts them. */
export function Invitations() {
  const list = usePages(InvitationsDocument, { limit: 100 }, pick)
  const revoke = useChange(RevokeInvitationDocument)
  const columns: readonly Column<Invitation>[] = [
    { title: 'For', width: 'minmax(160px, 2fr)', cell: ({ email }) => <SafeText>{email ?? 'anyone'}</SafeText> },
    { title: 'Scope', cell: ({ scope }) => <SafeText>{scopeTitle(scope)}</SafeText> },
    { title: 'May', width: '160px', cell: ({ perms }) => perms.join(', ') },
    { title: 'Groups', cell: ({ groups }) => <SafeText>{groups.join(', ')}</SafeText> },
    { title: 'From', cell: ({ createdBy, createdByName }) => <Person id={createdBy} name={createdByName} /> },
    { title: 'Ends', width: '192px', cell: ({ expiresAt }) => <When at={expiresAt} /> },
    { title: 'State', width: '104px', cell: ({ state }) => state },
    revokeColumn(
      revoke,
      ({ email }) => `The link for ${email ?? 'anyone'} no longer works.`,
      ({ state }) => state === 'open',
    ),
  ]
  return (
    <ListWithForm
      make="Invite"
      form={(close) => <Invite onDone={close} />}
      error={revoke.error}
      label="Invitations"
      columns={columns}
      list={list}
      rowKey={({ id }) => id}
      empty="No invitation yet. Make a link, and send it to the person."
    />
  )
}

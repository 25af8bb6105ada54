import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { Column } from '../../components/table.tsx'
import { useChange } from '../../graphql/hooks.ts'
import { usePages } from '../../graphql/pages.ts'
import { AccessTable } from './access-table.tsx'
import { InvitationsDocument, type InvitationsQuery, RevokeInvitationDocument } from './generated/graphql.ts'
import { Invite } from './invite.tsx'
import { dateText } from './words.ts'

type Invitation = NonNullable<InvitationsQuery['invitations']>['invitations'][number]

const pick = ({ invitations }: InvitationsQuery) =>
  invitations ? { ...invitations, rows: invitations.invitations } : null

/** Links that give a grant to the person who accepts them. */
export function Invitations() {
  const list = usePages(InvitationsDocument, { limit: 100 }, pick)
  const revoke = useChange(RevokeInvitationDocument)
  const [isOpen, setOpen] = useState(false)
  const columns: readonly Column<Invitation>[] = [
    { title: 'For', width: 'minmax(160px, 2fr)', cell: ({ email }) => <SafeText>{email ?? 'anyone'}</SafeText> },
    { title: 'Scope', cell: ({ scope }) => <SafeText>{scope}</SafeText> },
    { title: 'May', width: '136px', cell: ({ perms }) => perms.join(', ') },
    { title: 'Groups', cell: ({ groups }) => <SafeText>{groups.join(', ')}</SafeText> },
    { title: 'From', cell: ({ createdBy }) => <SafeText>{createdBy}</SafeText> },
    { title: 'Ends', width: '192px', cell: ({ expiresAt }) => dateText(expiresAt) },
    { title: 'State', width: '104px', cell: ({ state }) => state },
    {
      title: 'Change',
      width: '104px',
      cell: ({ id, state }) =>
        state === 'open' && (
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
          Invite
        </Button>
      </div>
      {isOpen && <Invite onDone={() => setOpen(false)} />}
      {revoke.error && <Problem error={revoke.error} />}
      <AccessTable
        label="Invitations"
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        empty="No invitation yet. Make a link, and send it to the person."
      />
    </>
  )
}

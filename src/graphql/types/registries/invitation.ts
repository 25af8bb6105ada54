import type { Invitation, InvitationRevocation, NewInvitation } from '../../../domain/invitations/invitations.ts'
import { invitationStates } from '../../../domain/invitations/redeemable.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import { enumType, pageType } from '../../builder/types.ts'
import { PermissionEnum } from '../common/enums.ts'

const StateEnum = enumType('InvitationState', 'What became of an invitation.', invitationStates, {
  open: 'It can be accepted.',
  accepted: 'Someone accepted it.',
  revoked: 'It was revoked, or its scope deleted.',
  expired: 'Its time ran out.',
})

const InvitationRef = builder.objectRef<Invitation>('Invitation').implement({
  description: 'An offer of a grant, by a link that works once.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its id. It is not a secret.' }),
    namespace: t.exposeString('namespace', { description: 'The namespace in which the grant will apply.' }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'The only address that it is for; null for anyone who has the link.',
    }),
    scope: t.exposeString('scope', { description: 'A path, or `*` for everything.' }),
    perms: t.expose('perms', { type: [PermissionEnum], description: 'What the grant will allow.' }),
    groups: t.exposeStringList('groups', { description: 'The groups of the grant.' }),
    createdBy: t.exposeString('createdBy', { description: 'The principal that made it.' }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
    expiresAt: t.expose('expiresAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
    acceptedAt: t.expose('acceptedAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'Epoch milliseconds; null if nobody accepted it.',
    }),
    acceptedBy: t.exposeString('acceptedBy', { nullable: true, description: 'The principal that accepted it.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'Epoch milliseconds; null if it was not revoked.',
    }),
    state: t.expose('state', { type: StateEnum, description: 'What became of it.' }),
  }),
})

const InvitationPageRef = pageType('InvitationPage', 'invitations', InvitationRef, {
  page: "A page of a namespace's invitations.",
  items: 'Oldest first, in every state.',
})

const NewInvitationRef = builder.objectRef<NewInvitation>('NewInvitation').implement({
  description: 'A new invitation.',
  fields: (t) => ({
    invitation: t.expose('invitation', { type: InvitationRef, description: 'The invitation.' }),
    url: t.exposeString('url', {
      description:
        'The link. It is shown only once; the service stores a SHA-256. It begins with `PUBLIC_URL`, or is a path if that is not set.',
    }),
  }),
})

const RevocationRef = builder.objectRef<InvitationRevocation>('InvitationRevocation').implement({
  description: 'An invitation that no longer works.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its id.' }),
    revoked: t.exposeBoolean('revoked', { description: 'Always true.' }),
  }),
})

builder.queryField('invitations', (t) =>
  t.field({
    type: InvitationPageRef,
    ...pages('invitations', (range, services) => services.invitations.list(range)),
  }),
)

builder.mutationFields((t) => ({
  createInvitation: t.field({
    type: NewInvitationRef,
    ...runs('createInvitation', (input, services) => services.invitations.create(input)),
  }),
  revokeInvitation: t.field({
    type: RevocationRef,
    ...runs('revokeInvitation', ({ id }, services) => services.invitations.revoke(id)),
  }),
}))

import type { Invitation, InvitationRevocation, NewInvitation } from '../../../domain/invitations/invitations.ts'
import { invitationStates } from '../../../domain/invitations/redeemable.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import {
  boolean,
  enumType,
  list,
  nullable,
  objectType,
  of,
  pageType,
  safeInt,
  string,
  strings,
} from '../../builder/types.ts'
import { PermissionEnum } from '../common/enums.ts'

const StateEnum = enumType('InvitationState', 'What became of an invitation.', invitationStates, {
  open: 'It can be accepted.',
  accepted: 'Someone accepted it.',
  revoked: 'It was revoked, or its scope deleted.',
  expired: 'Its time ran out.',
})

const InvitationRef = objectType<Invitation>('Invitation', 'An offer of a grant, by a link that works once.', {
  id: string('Its id. It is not a secret.'),
  namespace: string('The namespace in which the grant will apply.'),
  email: nullable(string('The only address that it is for; null for anyone who has the link.')),
  scope: string('A path, or `*` for everything.'),
  perms: list(PermissionEnum, 'What the grant will allow.'),
  groups: strings('The groups of the grant.'),
  createdBy: string('The principal that made it.'),
  createdAt: safeInt('Epoch milliseconds.'),
  expiresAt: safeInt('Epoch milliseconds.'),
  acceptedAt: nullable(safeInt('Epoch milliseconds; null if nobody accepted it.')),
  acceptedBy: nullable(string('The principal that accepted it.')),
  revokedAt: nullable(safeInt('Epoch milliseconds; null if it was not revoked.')),
  state: of(StateEnum, 'What became of it.'),
})

const InvitationPageRef = pageType('InvitationPage', 'invitations', InvitationRef, {
  page: "A page of a namespace's invitations.",
  items: 'Oldest first, in every state.',
})

const NewInvitationRef = objectType<NewInvitation>('NewInvitation', 'A new invitation.', {
  invitation: of(InvitationRef, 'The invitation.'),
  url: string(
    'The link. It is shown only once; the service stores a SHA-256. It begins with `PUBLIC_URL`, or is a path if that is not set.',
  ),
})

const RevocationRef = objectType<InvitationRevocation>('InvitationRevocation', 'An invitation that no longer works.', {
  id: string('Its id.'),
  revoked: boolean('Always true.'),
})

pages('invitations', InvitationPageRef, (range, services) => services.invitations.list(range))

runs('createInvitation', NewInvitationRef, (input, services) => services.invitations.create(input))

runs('revokeInvitation', RevocationRef, ({ id }, services) => services.invitations.revoke(id))

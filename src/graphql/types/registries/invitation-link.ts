import type { InvitationOffer } from '../../../domain/invitations/accept.ts'
import { runs, runsOpenly } from '../../builder/root-fields.ts'
import { list, objectType, safeInt, string } from '../../builder/types.ts'
import { PermissionEnum } from '../common/enums.ts'
import { GrantRef } from './grant.ts'

const OfferRef = objectType<InvitationOffer>('InvitationOffer', 'What a link offers.', {
  namespace: string('The namespace in which the grant will apply.'),
  scope: string('A path, or `*` for everything.'),
  perms: list(PermissionEnum, 'What the grant will allow.'),
  createdBy: string('The principal that made the invitation.'),
  expiresAt: safeInt('Epoch milliseconds.'),
})

runsOpenly('invitation', OfferRef, ({ token }, { domain }) => domain.invitationOffer(token))

runs('acceptInvitation', GrantRef, ({ token }, services) => services.invitations.accept(token))

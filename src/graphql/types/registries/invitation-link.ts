import type { InvitationOffer } from '../../../domain/invitations/accept.ts'
import { tokenInput } from '../../../domain/invitations/invitation-input.ts'
import { builder, checked } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { PermissionEnum } from '../common/enums.ts'
import { GrantRef } from './grant.ts'

const OfferRef = builder.objectRef<InvitationOffer>('InvitationOffer').implement({
  description: 'What a link offers.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace in which the grant will apply.' }),
    scope: t.exposeString('scope', { description: 'A path, or `*` for everything.' }),
    perms: t.expose('perms', { type: [PermissionEnum], description: 'What the grant will allow.' }),
    createdBy: t.exposeString('createdBy', { description: 'The principal that made the invitation.' }),
    expiresAt: t.expose('expiresAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
  }),
})

builder.queryField('invitation', (t) =>
  t.field({
    type: OfferRef,
    skipTypeScopes: true,
    description:
      'Public. What the link with this token offers. The same 404 for a token that is unknown, used, revoked or expired, and if its maker could not make it any more.',
    args: { token: t.arg.string({ required: true, description: 'What follows `#` in the link.' }) },
    ...checked(tokenInput, ({ token }, { domain }) => domain.invitationOffer(token)),
  }),
)

builder.mutationField('acceptInvitation', (t) =>
  t.field({
    type: GrantRef,
    description:
      'Gives the caller the grant of an invitation, once. Needs a signed-in person, or a key of a `user` without restrictions. The same 404 for every token that does not work.',
    args: { token: t.arg.string({ required: true, description: 'What follows `#` in the link.' }) },
    ...checked(tokenInput, ({ token }, context) => servicesOf(context).invitations.accept(token)),
  }),
)

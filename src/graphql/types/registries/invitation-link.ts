import type { InvitationOffer } from '../../../domain/invitations/accept.ts'
import { builder } from '../../builder/builder.ts'
import { runs, runsOpenly } from '../../builder/root-fields.ts'
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
    ...runsOpenly('invitation', ({ token }, { domain }) => domain.invitationOffer(token)),
  }),
)

builder.mutationField('acceptInvitation', (t) =>
  t.field({
    type: GrantRef,
    ...runs('acceptInvitation', ({ token }, services) => services.invitations.accept(token)),
  }),
)

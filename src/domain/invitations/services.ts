import type { PageRange } from '../../model/page.ts'
import type { Session } from '../../model/session.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { acceptInvitation, isInvited, readOffer } from './accept.ts'
import type { InvitationInput } from './invitation-input.ts'
import { createInvitation, listInvitations, revokeInvitation } from './invitations.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'sessions'> & DomainSettings

export const createInvitations = (deps: Deps) => ({
  offer: (token: string) => readOffer(deps, token),
  isInvited: (token: string, email: string) => isInvited(deps, token, email),
  servicesFor: (session: Session) => ({
    list: (range?: PageRange) => listInvitations(deps, session, range),
    create: (input: InvitationInput) => createInvitation(deps, session, input),
    revoke: (id: string) => revokeInvitation(deps, session, id),
    accept: (token: string) => acceptInvitation(deps, session, token),
  }),
})

import { badRequest, forbidden, ServiceError } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { GrantRecord, Permission } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { noSuchInvitation, redeemable } from './redeemable.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'sessions'> & { superAdminToken: string | undefined }

/** What anyone who has the link may know: not for whom it is, and which groups it gives. */
export interface InvitationOffer {
  namespace: string
  scope: string
  perms: readonly Permission[]
  createdBy: string
  expiresAt: number
}

/** Public. Errors: 404. */
export const readOffer = ({ catalog, clock, superAdminToken }: Deps, token: string): Promise<InvitationOffer> =>
  redeemable(catalog, token, clock.now(), superAdminToken)

/**
 * Whether a person with this address may sign up by it, where others may not. Only where a mail then shows whose address
 * it is: otherwise anyone who has the link could take it.
 */
export async function isInvited({ catalog, clock, sessions, superAdminToken }: Deps, token: string, email: string) {
  if (!sessions.ways.passwordReset) return false
  try {
    const invitation = await redeemable(catalog, token, clock.now(), superAdminToken)
    return invitation.email === email.toLowerCase()
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return false
    throw error
  }
}

/**
 * Gives the caller the grant of an invitation, once. Needs a person: a session, or a key of a `user` without
 * restrictions. Errors: 403; 404, the same for every token that does not work.
 */
export async function acceptInvitation(deps: Deps, session: Session, token: string): Promise<GrantRecord> {
  admit(session, 'acceptInvitation')
  const { caller } = session.facts
  if (caller.superAdmin || caller.kind !== 'user')
    throw forbidden('only a person may accept an invitation: sign in, or use a key of a user')
  const { principalId } = session
  return deps.catalog.provision(async (tx) => {
    const createdAt = deps.clock.now()
    const invitation = await redeemable(tx, token, createdAt, deps.superAdminToken)
    const { id, namespaceId, namespace, email, scope, perms, groups, createdBy: grantedBy } = invitation
    if (email !== null && (await tx.invitations.provedEmailOf(principalId)) !== email) throw noSuchInvitation()
    const member = await tx.access.membership(principalId, undefined, createdAt)
    if (!member) throw noSuchInvitation()
    if (groups.length > 0 && member.principal.home.id === namespaceId)
      throw badRequest(
        'token: must be of an invitation without groups: in your own namespace only your own groups count',
      )
    if (!(await tx.invitations.accept(invitation, principalId, createdAt))) throw noSuchInvitation()
    const expiresAt = invitation.grantEndsAt
    const grant = { id: deps.random.id('grant'), principalId, scope, perms, groups, grantedBy, createdAt, expiresAt }
    await tx.insertGrant(namespaceId, grant)
    const detail = { grant_id: grant.id, scope, perms: perms.join(','), groups: groups.length }
    await tx.audit(namespaceId, auditEntry(session, createdAt, 'invitation.accept', id, detail))
    return { ...grant, namespace }
  })
}

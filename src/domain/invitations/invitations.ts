import { badRequest, forbidden, InvalidInputError, notFound } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { PageRange } from '../../model/page.ts'
import type { Session } from '../../model/session.ts'
import type { SignInWays } from '../../ports/access/sessions.ts'
import type { InvitationRecord } from '../../ports/catalog.ts'
import { bounds } from '../access/bounds.ts'
import { admit } from '../access/gate.ts'
import { tokenHash } from '../access/tokens.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { type Page, pageOf } from '../input/page.ts'
import { requireGroups, requireHeld } from '../registries/grants.ts'
import { adminOf } from '../registries/ownership.ts'
import type { InvitationInput } from './invitation-input.ts'
import { type invitationStates, stateOf } from './redeemable.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'sessions'> & Pick<DomainSettings, 'brand' | 'publicOrigin'>

export interface Invitation extends InvitationRecord {
  state: (typeof invitationStates)[number]
}

export interface NewInvitation {
  invitation: Invitation
  /** Shown only now: only a hash of its token is stored. */
  url: string
}

const maxOpen = 100
const lifetimeMs = 7 * 24 * 3_600_000

/**
 * Offers a grant to the person who opens a link, once. Nobody can offer more than they hold, or for longer than
 * their key lasts. Needs an admin principal. Errors: 400, also above 100 open ones in the namespace; 403.
 */
export async function createInvitation(deps: Deps, session: Session, asked: InvitationInput): Promise<NewInvitation> {
  admit(session, 'createInvitation')
  const { scope, perms, groups, email = null } = asked
  const { id: namespaceId, name } = session.namespace
  const token = `${deps.brand}_inv_${deps.random.base62(32)}`
  return deps.catalog.provision(async (tx) => {
    const createdAt = deps.clock.now()
    const admin = await adminOf({ ...tx, now: createdAt }, session, name, 'createInvitation')
    requireHeld(admin, perms, scope)
    const namespace = await tx.registry.namespace(namespaceId)
    requireGroups(admin, namespace?.owner ?? null, groups, scope)
    const grantEndsAt = bounds.expiresAt(session)
    const expiresAt = endOf(asked.expiresAt, grantEndsAt, createdAt)
    if (email !== null) requireProof(deps.sessions.ways)
    if ((await tx.invitations.countOpen(namespaceId, createdAt)) >= maxOpen)
      throw badRequest(`a namespace may have at most ${maxOpen} open invitations: revoke one first`)
    const offered = { id: deps.random.id('invitation'), namespaceId, email, scope, perms, groups }
    const invitation = { ...offered, createdBy: session.principalId, createdAt, expiresAt, grantEndsAt }
    await tx.invitations.insert(invitation, tokenHash(token))
    const detail = { scope, perms: perms.join(','), groups: groups.length, personal: email !== null }
    await tx.audit(namespaceId, auditEntry(session, createdAt, 'invitation.create', invitation.id, detail))
    const unused = { acceptedAt: null, acceptedBy: null, revokedAt: null, state: 'open' as const }
    return {
      invitation: { ...invitation, namespace: name, ...unused },
      url: `${deps.publicOrigin ?? ''}/join#${token}`,
    }
  })
}

/** Without mails and identity provider anyone may sign up as anyone. */
function requireProof({ passwordReset: sendsMails, oidc }: SignInWays): void {
  if (sendsMails || oidc) return
  throw new InvalidInputError(
    ['email'],
    'needs a service that proves addresses: the operator must set SMTP_URL, MAIL_WEBHOOK_URL or OIDC_ISSUER; leave it out for a link that anyone may accept',
  )
}

function endOf(asked: number | undefined, keyEndsAt: number | null, now: number): number {
  const latest = now + lifetimeMs
  if (asked === undefined) return Math.min(latest, keyEndsAt ?? latest)
  if (asked <= now || asked > latest)
    throw new InvalidInputError(['expiresAt'], 'must be in the future, and at most seven days from now')
  if (keyEndsAt !== null && asked > keyEndsAt)
    throw forbidden('expiresAt: a key that expires can only make invitations that expire no later')
  return asked
}

/** The namespace's invitations in every state, oldest first. Needs an admin principal. */
export async function listInvitations(
  { catalog, clock }: Pick<Deps, 'catalog' | 'clock'>,
  session: Session,
  range?: PageRange,
): Promise<Page<Invitation>> {
  admit(session, 'invitations')
  const listed = await catalog.invitations.list(session.namespace.id, range)
  const now = clock.now()
  const items = listed.items.map((invitation) => ({ ...invitation, state: stateOf(invitation, now) }))
  return pageOf({ ...listed, items }, range)
}

export interface InvitationRevocation {
  revoked: true
  id: string
}

/** The link does not work any more. Needs an admin principal. Errors: 404 for one that is not open. */
export async function revokeInvitation(
  { catalog, clock }: Pick<Deps, 'catalog' | 'clock'>,
  session: Session,
  id: string,
): Promise<InvitationRevocation> {
  admit(session, 'revokeInvitation')
  const { id: namespaceId, name } = session.namespace
  await catalog.provision(async (tx) => {
    const now = clock.now()
    const admin = await adminOf({ ...tx, now }, session, name, 'revokeInvitation')
    const scope = await tx.invitations.scopeOf(namespaceId, id)
    if (scope !== null) admit(admin, 'revokeInvitation', { scope })
    if (!(await tx.invitations.revoke(namespaceId, id, now)))
      throw notFound('no such invitation: the id must be that of an open invitation of the namespace')
    await tx.audit(namespaceId, auditEntry(session, now, 'invitation.revoke', id, {}))
  })
  return { revoked: true, id }
}

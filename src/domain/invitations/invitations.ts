import { badRequest, forbidden, InvalidInputError, notFound, ServiceError } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { PageRange } from '../../model/page.ts'
import type { GrantRecord } from '../../model/registry.ts'
import { Session } from '../../model/session.ts'
import type { SignInWays } from '../../ports/access/sessions.ts'
import type { AccessReader, InvitationReader, InvitationRecord, RegistryReader } from '../../ports/catalog.ts'
import { admit, enter, superAdminCaller, superAdminId, superAdminTarget } from '../access/gate.ts'
import { withInherited } from '../access/inherited.ts'
import { tokenHash } from '../access/tokens.ts'
import { bounds } from '../access/visibility.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { pageOf } from '../input/page.ts'
import { requireGroups, requireHeld } from '../registries/members.ts'
import { adminOf } from '../registries/namespaces.ts'
import type { InvitationInput } from './invitation-input.ts'

interface Readers {
  access: AccessReader
  registry: RegistryReader
  invitations: InvitationReader
}

/** One error for a token that is unknown, used, revoked, expired, or for someone else. */
const noSuchInvitation = () =>
  notFound('no such invitation: the token must be that of an open invitation; ask for a new link')

/** What the token offers at `now`. Errors: 404, also if the maker could not make the same invitation any more. */
async function redeemable(
  readers: Readers,
  token: string,
  now: number,
  superAdminToken: string | undefined,
): Promise<InvitationRecord> {
  const found = await readers.invitations.find(tokenHash(token))
  if (!found || stateOf(found, now) !== 'open') throw noSuchInvitation()
  const maker = await makerOf(readers.access, found, now, superAdminToken)
  if (!maker) throw noSuchInvitation()
  const namespace = await readers.registry.namespace(found.namespaceId)
  try {
    admit(maker, 'createInvitation')
    requireHeld(maker, found.perms, found.scope)
    requireGroups(maker, namespace?.owner ?? null, found.groups, found.scope)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') throw noSuchInvitation()
    throw error
  }
  return found
}

/** The maker with its present rights; what its key may not grant was refused when the invitation was made. */
async function makerOf(
  access: AccessReader,
  { createdBy, namespace }: InvitationRecord,
  now: number,
  superAdminToken: string | undefined,
): Promise<Session | null> {
  const bound = { requestId: '', requestedScope: '*', restrictions: {} } as const
  if (createdBy === superAdminId) {
    const target = superAdminToken === undefined ? null : await superAdminTarget(access, namespace)
    return target && new Session({ ...bound, ...target, caller: superAdminCaller(target.namespace), grants: [] })
  }
  const entry = await enter(access, createdBy, namespace, now)
  return entry?.found ? new Session({ ...bound, ...entry.found }) : null
}

export const invitationStates = ['open', 'accepted', 'revoked', 'expired'] as const

function stateOf(
  { acceptedAt, revokedAt, expiresAt }: InvitationRecord,
  now: number,
): (typeof invitationStates)[number] {
  if (acceptedAt !== null) return 'accepted'
  if (revokedAt !== null) return 'revoked'
  return expiresAt <= now ? 'expired' : 'open'
}

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'sessions'> & DomainSettings

const maxOpen = 100
const lifetimeMs = 7 * 24 * 3_600_000

/**
 * Offers a grant to the person who opens a link, once. Nobody can offer more than they hold, or for longer than
 * their key lasts. Needs an admin principal. Errors: 400, also above 100 open ones in the namespace; 403.
 */
async function createInvitation(deps: Deps, session: Session, asked: InvitationInput) {
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
async function listInvitations({ catalog, clock }: Deps, session: Session, range?: PageRange) {
  admit(session, 'invitations')
  const listed = await catalog.invitations.list(session.namespace.id, range)
  const now = clock.now()
  const items = listed.items.map((invitation) => ({ ...invitation, state: stateOf(invitation, now) }))
  return pageOf({ ...listed, items }, range)
}

/** The link does not work any more. Needs an admin principal. Errors: 404 for one that is not open. */
async function revokeInvitation({ catalog, clock }: Deps, session: Session, id: string) {
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

/** Public. Errors: 404. */
async function readOffer({ catalog, clock, superAdminToken }: Deps, token: string) {
  const offered = await redeemable(catalog, token, clock.now(), superAdminToken)
  const { namespaceId, createdBy } = offered
  return { ...offered, createdByName: (await catalog.registry.names(namespaceId, [createdBy])).get(createdBy) ?? null }
}

/**
 * Whether a person with this address may sign up by it, where others may not. Only where a mail then shows whose address
 * it is: otherwise anyone who has the link could take it.
 */
async function isInvited({ catalog, clock, sessions, superAdminToken }: Deps, token: string, email: string) {
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
async function acceptInvitation(deps: Deps, session: Session, token: string): Promise<GrantRecord> {
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
    await tx.insertGrant(namespaceId, { ...grant, ...(await withInherited(tx.groups, namespaceId, groups)) })
    const detail = { grant_id: grant.id, scope, perms: perms.join(','), groups: groups.length }
    await tx.audit(namespaceId, auditEntry(session, createdAt, 'invitation.accept', id, detail))
    return { ...grant, namespace }
  })
}

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

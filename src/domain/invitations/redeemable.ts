import { notFound, ServiceError } from '../../errors.ts'
import { Session } from '../../model/session.ts'
import type { AccessReader, InvitationReader, InvitationRecord, RegistryReader } from '../../ports/catalog.ts'
import { enter, superAdminCaller, superAdminId, superAdminTarget } from '../access/enter.ts'
import { admit } from '../access/gate.ts'
import { tokenHash } from '../access/tokens.ts'
import { requireGroups, requireHeld } from '../registries/grants.ts'

export interface Readers {
  access: AccessReader
  registry: RegistryReader
  invitations: InvitationReader
}

/** One error for a token that is unknown, used, revoked, expired, or for someone else. */
export const noSuchInvitation = () =>
  notFound('no such invitation: the token must be that of an open invitation; ask for a new link')

/** What the token offers at `now`. Errors: 404, also if the maker could not make the same invitation any more. */
export async function redeemable(
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

export function stateOf(
  { acceptedAt, revokedAt, expiresAt }: InvitationRecord,
  now: number,
): (typeof invitationStates)[number] {
  if (acceptedAt !== null) return 'accepted'
  if (revokedAt !== null) return 'revoked'
  return expiresAt <= now ? 'expired' : 'open'
}

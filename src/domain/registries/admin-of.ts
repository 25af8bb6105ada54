import { forbidden } from '../../errors.ts'
import { Session } from '../../model/session.ts'
import type { AccessReader } from '../../ports/access-reader.ts'
import { text } from '../input/parse.ts'

export const notAdmin = () => forbidden('an admin principal of the namespace is required')

/**
 * The caller in that namespace as of now, with the restrictions of its key. Throws 403 unless it is an admin principal
 * there.
 */
export async function adminOf(access: AccessReader, { facts }: Session, name: string): Promise<Session> {
  if (!text(63).safeParse(name).success) throw notAdmin()
  const { caller, restrictions, requestId } = facts
  const membership = caller.superAdmin ? null : await access.membership(caller.principalId, name)
  const target = caller.superAdmin ? await access.namespace(name) : membership?.target
  if (!target) throw notAdmin()
  const there = new Session({
    caller: membership ? { ...membership.principal, superAdmin: false } : caller,
    grants: membership?.target?.grants ?? [],
    ...target,
    restrictions,
    requestedScope: '*',
    requestId,
  })
  if (!there.isAdmin) throw notAdmin()
  return there
}

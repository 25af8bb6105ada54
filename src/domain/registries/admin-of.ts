import type { Session } from '../../model/session.ts'
import type { OperationName } from '../../operations/operations.ts'
import type { AccessReader } from '../../ports/catalog/access-reader.ts'
import { enter } from '../access/enter.ts'
import { admit, notAdmin, type Target } from '../access/gate.ts'
import { text } from '../input/parse.ts'

/**
 * The caller's current session in that namespace, with the restrictions of its key, admitted to the operation there.
 * Throws 403 unless it is an admin principal there.
 */
export async function adminOf(
  { access, now }: { access: AccessReader; now: number },
  session: Session,
  name: string,
  operation: OperationName,
  reached?: Target,
): Promise<Session> {
  if (!text(63).safeParse(name).success) throw notAdmin()
  const { caller } = session.facts
  const found = caller.superAdmin
    ? await access.namespace(name)
    : (await enter(access, caller.principalId, name, now))?.found
  if (!found) throw notAdmin()
  const there = session.with({ caller, grants: [], ...found, requestedScope: '*' })
  admit(there, operation, reached)
  return there
}

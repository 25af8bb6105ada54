import { forbidden } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import type { Acl, Plane } from '../../model/unit.ts'
import { aclOf } from '../../model/unit.ts'
import { bounds } from '../access/visibility.ts'

/** Owner and readers as a caller sends them; what is not sent stays. */
export interface SentAcl {
  aclOwner?: string | undefined
  aclGroups?: readonly string[] | undefined
}

/** Whether the caller may change the owner and the readers of a Unit: its owner and admin principals may. */
export const mayChangeAcl = (session: Session, { owner }: Acl): boolean =>
  session.principalId === owner || session.may('admin', '*')

/** The ACL of a Unit after a change. Throws 403, with the field at `place`, for a change that the caller may not make. */
export function changedAcl(session: Session, known: Acl, { aclOwner, aclGroups }: SentAcl, place = ''): Acl {
  const acl = aclOf(aclOwner ?? known.owner, aclGroups ?? known.groups)
  if (mayChangeAcl(session, known)) return acl
  if (acl.owner !== known.owner) throw notYours(`${place}acl_owner`)
  if (!isSame(acl, known)) throw notYours(`${place}acl_groups`)
  return known
}

/** 403 for a Unit that a key would put outside of its own restrictions by the owner or readers that it gives it. */
export function requireKept(session: Session, scope: string, unit: { plane: Plane; acl: Acl }, place = ''): void {
  if (bounds.reaches(session, scope, unit)) return
  throw forbidden(`${place}acl_groups: the Unit must stay within the planes and groups of the API key`)
}

export const isSame = (a: Acl, b: Acl): boolean =>
  a.owner === b.owner && JSON.stringify(aclOf(a.owner, a.groups)) === JSON.stringify(aclOf(b.owner, b.groups))

const notYours = (field: string) =>
  forbidden(`${field}: only the Unit's owner or an admin principal may change it; leave it out, or send what it is`)

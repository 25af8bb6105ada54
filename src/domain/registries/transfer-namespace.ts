import { forbidden, InvalidInputError } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import { permissions } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Membership } from '../../ports/catalog/access-reader.ts'
import type { Provisioner } from '../../ports/catalog/provisioner.ts'
import { admit } from '../access/gate.ts'
import { refreshNamespaces } from '../billing/apply-tier.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { grantEverything, homeOf } from './claim-namespace.ts'
import { isSeeded } from './names.ts'
import { type NamespaceView, namespaceView } from './namespace-view.ts'
import { requireNamespaceQuota } from './ownership.ts'
import type { TransferInput } from './registry-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'>

/**
 * Makes another principal the owner of a registered namespace, with all permissions on all of it. The former owner
 * keeps its grants and its home. Only the owner and the super-admin may do it, with a key without restrictions. The
 * part of the tier from payments then depends on the new owner. Errors: 403, the same for a namespace that does not
 * exist; 400 for an unregistered home, and for a principal that does not exist or is read-only; 402 above the
 * `maxNamespaces` of the new owner's home.
 */
export async function transferNamespace(
  deps: Deps,
  session: Session,
  { namespace: name, principalId }: TransferInput,
): Promise<NamespaceView> {
  admit(session, 'transferNamespace')
  return deps.catalog.provision(async (tx) => {
    const now = deps.clock.now()
    const home = await homeOf(tx, session, now)
    const { id, owner } = await requireTransferable(tx, session, name)
    const heir = requireHeir(await tx.access.membership(principalId, name, now))
    if (owner !== principalId) {
      await requireNamespaceQuota(tx, heir.principal.home, id)
      await tx.claims.register(id, principalId)
      if (!holdsEverything(heir)) await grantEverything(deps, tx, session, principalId, id, now)
      const detail = { namespace_id: id, from: owner, to: principalId }
      await tx.audit(id, auditEntry(session, now, 'namespace.transfer', name, detail))
      await refreshNamespaces(tx, [id], now, session)
    }
    const transferred = await tx.registry.namespace(id)
    if (!transferred) throw new Error(`the transferred namespace ${id} is missing`)
    return namespaceView(transferred, home?.id ?? null)
  })
}

async function requireTransferable(tx: Provisioner, { principalId, facts }: Session, name: string) {
  const namespace = await tx.claims.holderOf(name)
  const mayTransfer = facts.caller.superAdmin || namespace?.owner === principalId
  if (!namespace || namespace.deleted || !mayTransfer || isSeeded(name)) {
    throw forbidden('only the owner of a namespace and the super-admin may transfer it')
  }
  if (!namespace.registered)
    throw new InvalidInputError(
      ['namespace'],
      'must be a registered namespace; an unregistered home cannot be transferred',
    )
  return namespace
}

function requireHeir(heir: Membership | null): Membership {
  if (!heir) throw new InvalidInputError(['principalId'], 'must be the id of an existing principal')
  if (heir.principal.readOnly)
    throw new InvalidInputError(['principalId'], 'must not be read-only: an owner must be able to write')
  return heir
}

const holdsEverything = ({ target }: Membership): boolean =>
  target?.grants.some(
    ({ scope, perms, expiresAt }) =>
      scope === '*' && expiresAt === null && permissions.every((perm) => perms.includes(perm)),
  ) === true

import { forbidden, InvalidInputError } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Session } from '../../model/session.ts'
import type { Membership } from '../../ports/catalog/access-reader.ts'
import type { Provisioner } from '../../ports/catalog/provisioner.ts'
import { admit } from '../access/gate.ts'
import { refreshNamespaces } from '../billing/apply-tier.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { homeOf } from './claim-namespace.ts'
import { isSeeded } from './names.ts'
import { type NamespaceView, namespaceView } from './namespace-view.ts'
import { requireNamespaceQuota } from './ownership.ts'
import type { TransferInput } from './registry-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'>

/**
 * Makes an admin principal of a registered namespace its owner. The former owner keeps its grants and its home. Only the
 * owner and the super-admin may do it, with a key without restrictions. The part of the tier from payments then depends
 * on the new owner. Errors: 403, the same for a namespace that does not exist; 400 for an unregistered home, and for a
 * principal that is not an admin principal there, is an agent or read-only; 402 above the `maxNamespaces` of the new
 * owner's home.
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
      const former = owner === null ? null : await tx.access.membership(owner, undefined, now)
      const homes = [id, heir.principal.home.id, ...(former ? [former.principal.home.id] : [])]
      const detail = { namespace_id: id, from: owner, to: principalId }
      for (const chain of new Set(homes)) {
        await tx.audit(chain, auditEntry(session, now, 'namespace.transfer', name, detail))
      }
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

/** Not an agent: an owner decides where agents only read. */
function requireHeir(heir: Membership | null): Membership {
  const isAdmin = heir?.target?.grants.some(
    ({ scope, perms, expiresAt }) => scope === '*' && expiresAt === null && perms.includes('admin'),
  )
  if (!heir || !isAdmin)
    throw new InvalidInputError(['principalId'], 'must be the id of an admin principal of the namespace')
  if (heir.principal.readOnly)
    throw new InvalidInputError(['principalId'], 'must not be read-only: an owner must be able to write')
  if (heir.principal.kind === 'agent') throw new InvalidInputError(['principalId'], 'must not be an agent')
  return heir
}

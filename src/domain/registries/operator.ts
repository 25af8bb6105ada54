import { forbidden, InvalidInputError, notFound } from '../../errors.ts'
import { type Actor, auditEntry } from '../../model/audit.ts'
import { type GrantRecord, type NamespaceRecord, permissions } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { OperationName } from '../../operations/operations.ts'
import type { Provisioner } from '../../ports/catalog.ts'
import { provisionUser } from '../access/authenticate.ts'
import { admit } from '../access/gate.ts'
import { setBaseTier } from '../billing/receive-event.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { type NamespaceView, namespaceView } from './namespaces.ts'
import type { AdminInput, TierInput } from './registry-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & Pick<DomainSettings, 'billing'>

/** What the operator of the service may do: the super-admin by its token, others through the data directory. */
export const operatorOf = (deps: Deps) => ({
  /** A namespace, by its name. Errors: 404. */
  namespace: (name: string): Promise<NamespaceRecord> =>
    deps.catalog.provision((tx) => namespaceOf(tx, name), { kept: false }),

  /**
   * Sets the tier of a namespace. While its owner, or a principal homed there, pays for a higher one, it has that. Errors:
   * 404.
   */
  setTier: (actor: Actor, { namespace: name, tier }: TierInput): Promise<NamespaceRecord> =>
    deps.catalog.provision(async (tx) => {
      const { id } = await namespaceOf(tx, name)
      await setBaseTier(tx, id, tier, deps.clock.now(), actor)
      return namespaceOf(tx, name)
    }),

  /**
   * Makes a person who has signed up an admin principal of a namespace. Without effect for one who is. Errors: 404 for a
   * namespace that does not exist; 400 for an address with which nobody has signed up, and for a read-only principal.
   */
  grantAdmin: async (actor: Actor, { email, namespace: name }: AdminInput): Promise<GrantRecord> => {
    const user = await deps.catalog.signIn.userByEmail(email)
    if (!user) throw noSuchPerson()
    // Who has signed up, and sent no request yet, has no principal yet.
    const principalId = await provisionUser(deps, user, actor.requestId)
    return deps.catalog.provision(async (tx) => {
      const now = deps.clock.now()
      const { id: namespaceId } = await namespaceOf(tx, name)
      const member = await tx.access.membership(principalId, undefined, now)
      if (!member) throw noSuchPerson()
      if (member.principal.readOnly)
        throw new InvalidInputError(['email'], 'must not be that of a read-only principal, which cannot be an admin')
      const { items } = await tx.registry.grants(namespaceId, now)
      const held = items.find(
        (one) =>
          one.principalId === principalId &&
          one.scope === '*' &&
          one.expiresAt === null &&
          permissions.every((perm) => one.perms.includes(perm)),
      )
      if (held) return held
      const id = deps.random.id('grant')
      const given = { scope: '*', perms: permissions, groups: [], expiresAt: null } as const
      const grant = { ...given, id, principalId, grantedBy: actor.principalId, createdAt: now }
      await tx.insertGrant(namespaceId, grant)
      const detail = { principal_id: principalId, scope: '*', perms: permissions.join(','), groups: 0 }
      await tx.audit(namespaceId, auditEntry(actor, now, 'grant.create', id, detail))
      return { ...grant, namespace: name }
    })
  },
})

async function namespaceOf(tx: Provisioner, name: string): Promise<NamespaceRecord> {
  const found = await tx.claims.holderOf(name)
  if (!found || found.deleted) throw notFound(`no such namespace ${name}: it must be the name of one`)
  return found
}

const noSuchPerson = () =>
  new InvalidInputError(['email'], 'must be an address with which someone has signed up: sign up in the console first')

/** The same for requests: the super-admin alone. Errors: 403. */
export const createOperator = (deps: Deps) => (session: Session) => {
  const operator = operatorOf(deps)
  const admitted = (operation: OperationName) => {
    admit(session, operation)
    if (!session.facts.caller.superAdmin)
      throw forbidden('only the super-admin may do this: the operator of the service has its token')
  }
  return {
    setTier: async (input: TierInput): Promise<NamespaceView> => {
      admitted('setTier')
      return namespaceView(await operator.setTier(session, input), null)
    },
    grantAdmin: (input: AdminInput): Promise<GrantRecord> => {
      admitted('grantAdmin')
      return operator.grantAdmin(session, input)
    },
  }
}

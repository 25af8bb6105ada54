import { mintToken, tokenHash } from '../../../src/domain/access/tokens.ts'
import {
  type KeyRestrictions,
  type Permission,
  type PrincipalKind,
  permissions,
  starterScope,
} from '../../../src/model/registry.ts'
import type { TierName } from '../../../src/model/tiers.ts'
import { planes } from '../../../src/model/unit.ts'
import type { Runtime } from '../../../src/runtime.ts'

export interface TestPrincipal {
  id: string
  /** Its home namespace; created with `tier` if it does not exist. */
  namespace: string
  tier?: TierName
  /** Its home, which must be new, is like that of a console user: unregistered, its own, with the starter scope. */
  signedUp?: boolean
  kind?: PrincipalKind
  groups?: readonly string[]
  readOnly?: boolean
  activeScope?: string
  /** Grants in its home namespace, unless they name another. Default: everything on `*`. */
  grants?: readonly TestGrant[]
  /** The expiry of its token. */
  restrictions?: KeyRestrictions
  expiresAt?: number
}

export interface TestGrant {
  scope: string
  perms: readonly Permission[]
  groups?: readonly string[]
  namespace?: string
}

/** Creates a principal through the catalog port; returns its token. */
export async function addPrincipal({ bindings }: Runtime, principal: TestPrincipal): Promise<string> {
  const { id, namespace, tier = 'enterprise', kind = 'user', groups = [], readOnly = false } = principal
  const { grants = [{ scope: '*', perms: ['read', 'write', 'admin'] }], activeScope = '*' } = principal
  const { expiresAt = null, restrictions = {} } = principal
  const { catalog, random } = bindings
  const createdAt = 0
  const token = mintToken('svc', 'test', random)
  await catalog.provision(async (tx) => {
    if (principal.signedUp) {
      const grant = { id: random.id('grant'), scope: '*', perms: permissions, groups: [], expiresAt: null }
      const scope = { id: random.id('scope'), scope: starterScope, parent: null, planes, readOnlyAgents: false }
      const made = {
        userId: `user of ${id}`,
        name: null,
        email: null,
        principalId: id,
        namespace: { id: random.id('ns'), name: namespace },
      }
      await tx.provisionUser({ ...made, tier, grant, scope, createdAt })
    }
    const ensure = (name: string) => tx.ensureNamespace({ id: random.id('ns'), name, tier, createdAt })
    const home = await ensure(namespace)
    await tx.ensurePrincipal({ principalId: id, namespaceId: home.id, kind, groups, readOnly, activeScope, createdAt })
    for (const grant of grants) {
      const target = await ensure(grant.namespace ?? namespace)
      await tx.ensureGrant(target.id, {
        id: random.id('grant'),
        principalId: id,
        scope: grant.scope,
        perms: grant.perms,
        groups: grant.groups ?? [],
        grantedBy: 'test',
        createdAt,
        expiresAt: null,
      })
    }
    await tx.replaceTokens(id, {
      hash: tokenHash(token),
      id: random.id('key'),
      name: 'test',
      createdAt,
      expiresAt,
      restrictions,
    })
  })
  return token
}

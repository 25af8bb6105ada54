import { auditEntry } from '../../model/audit-entry.ts'
import { permissions, starterScope } from '../../model/registry.ts'
import { planes } from '../../model/unit.ts'
import type { ConsoleUser } from '../../ports/access/sessions.ts'
import type { Random } from '../../ports/clock.ts'
import type { Bindings } from '../bindings/bindings.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'>

/**
 * Creates a user's namespace, a principal that owns it, and a first scope. This happens once per user: of concurrent
 * requests one provisions, and the others find the result. Returns the principal's id.
 */
export function provisionUser(deps: Deps, user: ConsoleUser, requestId: string): Promise<string> {
  const { catalog, clock, random } = deps
  return catalog.provision(async (tx) => {
    const linked = await tx.access.principalOfUser(user.userId)
    if (linked !== null) return linked
    const createdAt = clock.now()
    const namespace = { id: random.id('ns'), name: homeName(user.email, random) }
    const principalId = random.id('user')
    const grant = { id: random.id('grant'), scope: '*' as const, perms: permissions, groups: [], expiresAt: null }
    const scope = { id: random.id('scope'), scope: starterScope, parent: null, planes, readOnlyAgents: false }
    await tx.provisionUser({ userId: user.userId, principalId, namespace, tier: 'free', grant, scope, createdAt })
    const detail = { namespace_id: namespace.id, grant_id: grant.id, scope_id: scope.id }
    await tx.audit(
      namespace.id,
      auditEntry({ principalId, requestId }, createdAt, 'principal.provision', principalId, detail),
    )
    return principalId
  })
}

/** The maximum length of a namespace's name. */
const maxNameLength = 63

/** Long enough that nobody can guess it and claim the name first. */
const idLength = 16

/** `u-<email>-<id>`: the e-mail as `[a-z0-9-]`, shortened to fit; the id in full. */
export function homeName(email: string, random: Random): string {
  const id = random.base62(idLength).toLowerCase()
  const room = maxNameLength - 'u--'.length - id.length
  const slug = email
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, room)
    .replace(/^-+|-+$/g, '')
  return ['u', slug, id].filter((part) => part !== '').join('-')
}

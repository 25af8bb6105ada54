import { forbidden, InvalidInputError, notFound } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import { type GroupTree, maxGroupDepth } from '../../model/groups.ts'
import type { Session } from '../../model/session.ts'
import type { GroupMembership, GroupRecord, Provisioner } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import { fitting, treeOf } from '../access/inherited.ts'
import { bounds, visibilityOf } from '../access/visibility.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { pageOf } from '../input/page.ts'
import { requireGroups } from '../registries/members.ts'
import { adminOf } from '../registries/namespaces.ts'
import type { GroupChange, GroupMembersInput, GroupRenaming, GroupsInput } from './group-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'>

/** The namespace's groups, by name. Of Units, only those count that the caller may read. Needs an admin principal. */
async function listGroups({ catalog, clock }: Deps, session: Session, { prefix, ...range }: GroupsInput) {
  admit(session, 'groups')
  return pageOf(await catalog.groups.list(visibilityOf(session, 'read'), clock.now(), prefix, range), range)
}

/** Who is in a group, by id: principals of the namespace, and others by a grant. Needs an admin principal. */
async function listMembers({ catalog, clock }: Deps, session: Session, { name, ...range }: GroupMembersInput) {
  admit(session, 'groupMembers')
  return pageOf(await catalog.groups.members(session.namespace.id, clock.now(), name, range), range)
}

/**
 * Puts principals and groups into a group, and takes them out, from their next request on. Needs an admin principal, who
 * adds only to groups that it is in, owner excepted. Errors: 400, also for groups in a circle or too deep, and for a
 * principal that would be in too many; 403.
 */
async function changeGroup(deps: Deps, session: Session, { name, input }: GroupChange): Promise<GroupRecord> {
  admit(session, 'changeGroup')
  const { add = [], remove = [], addGroups = [], removeGroups = [], displayName } = input
  const { id: namespaceId, name: namespace } = session.namespace
  return deps.catalog.provision(async (tx) => {
    const now = deps.clock.now()
    const admin = await adminOf({ ...tx, now }, session, namespace, 'changeGroup')
    if (add.length + addGroups.length > 0) {
      requireGroups(admin, (await tx.registry.namespace(namespaceId))?.owner ?? null, [name], '*')
      if (bounds.expiresAt(session) !== null)
        throw forbidden('expiresAt: a key that expires may not add to groups; use one without it')
    }
    if (displayName !== undefined) await tx.groups.describe(namespaceId, name, displayName || null)
    const tree = await nested(tx, namespaceId, name, { addGroups, removeGroups })
    await moveMembers(tx, namespaceId, tree, { name, add, remove, groups: [...addGroups, ...removeGroups] })
    const detail = { added: add.length, removed: remove.length }
    const groups = { groups_added: addGroups.length, groups_removed: removeGroups.length }
    await tx.audit(namespaceId, auditEntry(session, now, 'group.change', name, { ...detail, ...groups }))
    return groupOf(tx, admin, now, name)
  })
}

/** The groups after the change of what one holds. */
async function nested(
  tx: Provisioner,
  namespaceId: string,
  name: string,
  { addGroups, removeGroups }: { addGroups: readonly string[]; removeGroups: readonly string[] },
): Promise<GroupTree> {
  if (addGroups.length + removeGroups.length > 0) await tx.groups.nest(namespaceId, name, addGroups, removeGroups)
  const tree = await treeOf(tx.groups, namespaceId)
  const problem = tree.problem()
  if (problem === 'cycle') throw new InvalidInputError(['addGroups'], 'must not lead back to the group itself')
  if (problem === 'depth')
    throw new InvalidInputError(['addGroups'], `must leave groups at most ${maxGroupDepth} deep in one another`)
  return tree
}

/** `groups`: those that began or ended to be in the group. */
async function moveMembers(
  tx: Provisioner,
  namespaceId: string,
  tree: GroupTree,
  change: { name: string; add: readonly string[]; remove: readonly string[]; groups: readonly string[] },
): Promise<void> {
  const { name, add, remove, groups } = change
  const named = await tx.groups.memberships(namespaceId, { principals: [...add, ...remove] })
  const known = new Set(named.map(({ id }) => id))
  for (const [field, ids] of Object.entries({ add, remove })) {
    const missing = ids.findIndex((id) => !known.has(id))
    if (missing >= 0) throw new InvalidInputError([field, missing], 'must be the id of a principal of this namespace')
  }
  const [added, removed] = [new Set(add), new Set(remove)]
  const rows = groups.length === 0 ? [] : await tx.groups.memberships(namespaceId, { groups: tree.within(groups) })
  const all = new Map([...rows, ...named].map((row) => [JSON.stringify([row.kind, row.id]), row]))
  const changed = [...all.values()].flatMap((row): GroupMembership[] => {
    const inherited = new Set(row.inherited)
    const before = row.groups.filter((group) => !inherited.has(group))
    const isPrincipal = row.kind === 'principal'
    const without = isPrincipal && removed.has(row.id) ? before.filter((group) => group !== name) : before
    const direct = isPrincipal && added.has(row.id) && !without.includes(name) ? [...without, name] : without
    const after = fitting(tree, direct)
    const isSame = JSON.stringify([after.groups, after.inheritedGroups]) === JSON.stringify([row.groups, row.inherited])
    return isSame ? [] : [{ kind: row.kind, id: row.id, groups: after.groups, inherited: after.inheritedGroups }]
  })
  await tx.groups.saveMemberships(namespaceId, changed)
}

/**
 * Gives a group another name everywhere at once: members, grants, invitations, keys, other groups, and Units, which the
 * indexes read again as after other changes. Needs an admin principal who is in the group, or the owner. Errors: 400 for a
 * name in use, 403, also for an agent while a scope is read-only to agents, 404.
 */
async function renameGroup(deps: Deps, session: Session, { name, newName }: GroupRenaming): Promise<GroupRecord> {
  // It changes the Units of every scope.
  admit(session, 'renameGroup', { scope: '*' })
  const { id: namespaceId, name: namespace } = session.namespace
  return deps.catalog.provision(async (tx) => {
    const now = deps.clock.now()
    const admin = await adminOf({ ...tx, now }, session, namespace, 'renameGroup')
    requireGroups(admin, (await tx.registry.namespace(namespaceId))?.owner ?? null, [name], '*')
    // Two groups would become one, and their members read what only the others could.
    if (await tx.groups.isInUse(namespaceId, newName))
      throw new InvalidInputError(['newName'], 'must be a name that nothing uses: groups cannot be merged')
    if (!(await tx.groups.isInUse(namespaceId, name)))
      throw notFound('no such group: the namespace must have a principal, a grant or a Unit that names it')
    await tx.groups.rename(namespaceId, name, newName)
    await tx.audit(namespaceId, auditEntry(session, now, 'group.rename', name, { to: newName }))
    const after = await adminOf({ ...tx, now }, session, namespace, 'renameGroup')
    return groupOf(tx, after, now, newName)
  })
}

async function groupOf(tx: Provisioner, session: Session, now: number, name: string): Promise<GroupRecord> {
  // Of the names that begin with it, it is the first.
  const { items } = await tx.groups.list(visibilityOf(session, 'read'), now, name, { cursor: 0, limit: 1 })
  const [found] = items
  return found?.name === name ? found : { name, displayName: null, source: 'manual', members: 0, groups: [], units: 0 }
}

export const createGroups = (deps: Deps) => (session: Session) => ({
  list: (input: GroupsInput) => listGroups(deps, session, input),
  members: (input: GroupMembersInput) => listMembers(deps, session, input),
  change: (input: GroupChange) => changeGroup(deps, session, input),
  rename: (input: GroupRenaming) => renameGroup(deps, session, input),
})

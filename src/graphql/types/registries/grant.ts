import type { GrantRecord } from '../../../model/registry.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import { boolean, list, nullable, objectType, pageType, safeInt, string, strings } from '../../builder/types.ts'
import { PermissionEnum } from '../common/enums.ts'

export const GrantRef = objectType<GrantRecord>('Grant', 'Permissions of a principal on a scope and all below it.', {
  id: string('Its id.'),
  principalId: string('The principal that holds it.'),
  namespace: string('The namespace in which it applies.'),
  scope: string('A path, or `*` for everything.'),
  perms: list(PermissionEnum, 'What it allows.'),
  groups: strings(
    "The principal's groups in the scopes that this grant covers with `read`, if the namespace is not its home namespace.",
  ),
  grantedBy: string('The principal that granted it.'),
  createdAt: safeInt('Epoch milliseconds.'),
  expiresAt: nullable(
    safeInt('Epoch milliseconds: the grant expires with the key that created it. Null if it does not expire.'),
  ),
})

const GrantPageRef = pageType('GrantPage', 'grants', GrantRef, {
  page: "A page of a namespace's grants.",
  items: 'Oldest first.',
})

const GrantDeletionRef = objectType<{ deleted: true }>('GrantDeletion', 'The result of removing a grant.', {
  deleted: boolean('Always true.'),
})

pages('grants', GrantPageRef, (range, services) => services.grants.list(range))

runs('grant', GrantRef, ({ id }, services) => services.grants.get(id))

runs('createGrant', GrantRef, (input, services) => services.grants.create(input))

runs('deleteGrant', GrantDeletionRef, ({ id }, services) => services.grants.delete(id))

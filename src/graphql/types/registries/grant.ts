import type { GrantRecord } from '../../../model/registry.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import { pageType } from '../../builder/types.ts'
import { PermissionEnum } from '../common/enums.ts'

export const GrantRef = builder.objectRef<GrantRecord>('Grant').implement({
  description: 'Permissions of a principal on a scope and all below it.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its id.' }),
    principalId: t.exposeString('principalId', { description: 'The principal that holds it.' }),
    namespace: t.exposeString('namespace', { description: 'The namespace in which it applies.' }),
    scope: t.exposeString('scope', { description: 'A path, or `*` for everything.' }),
    perms: t.expose('perms', { type: [PermissionEnum], description: 'What it allows.' }),
    groups: t.exposeStringList('groups', {
      description:
        "The principal's groups in the scopes that this grant covers with `read`, if the namespace is not its home namespace.",
    }),
    grantedBy: t.exposeString('grantedBy', { description: 'The principal that granted it.' }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'Epoch milliseconds: the grant expires with the key that created it. Null if it does not expire.',
    }),
  }),
})

const GrantPageRef = pageType('GrantPage', 'grants', GrantRef, {
  page: "A page of a namespace's grants.",
  items: 'Oldest first.',
})

const GrantDeletionRef = builder.objectRef<{ deleted: true }>('GrantDeletion').implement({
  description: 'The result of removing a grant.',
  fields: (t) => ({ deleted: t.exposeBoolean('deleted', { description: 'Always true.' }) }),
})

builder.queryFields((t) => ({
  grants: t.field({
    type: GrantPageRef,
    ...pages('grants', (range, services) => services.grants.list(range)),
  }),
  grant: t.field({
    type: GrantRef,
    ...runs('grant', ({ id }, services) => services.grants.get(id)),
  }),
}))

builder.mutationFields((t) => ({
  createGrant: t.field({
    type: GrantRef,
    ...runs('createGrant', (input, services) => services.grants.create(input)),
  }),
  deleteGrant: t.field({
    type: GrantDeletionRef,
    ...runs('deleteGrant', ({ id }, services) => services.grants.delete(id)),
  }),
}))

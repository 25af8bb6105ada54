import type { GrantRecord } from '../../../model/registry.ts'
import { builder } from '../../builder/builder.ts'
import { pageArgs, pages, pageType, runs } from '../../builder/root-fields.ts'
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

const CreateGrantInput = builder.inputType('CreateGrantInput', {
  description: 'A new grant.',
  fields: (t) => ({
    principalId: t.string({ required: true, description: 'The principal that receives it, from any home namespace.' }),
    scope: t.string({ required: true, description: 'A path, or `*` for everything.' }),
    perms: t.field({
      type: [PermissionEnum],
      required: true,
      description: 'The permissions. The caller must hold each of them on all of the scope.',
    }),
    groups: t.stringList({
      description:
        'Groups of the principal in this namespace, if it is not its home namespace. You can grant groups you belong to; the owner can grant any.',
    }),
  }),
})

builder.queryFields((t) => ({
  grants: t.field({
    type: GrantPageRef,
    args: pageArgs('Offset from the oldest.'),
    ...pages('grants', (range, services) => services.grants.list(range)),
  }),
  grant: t.field({
    type: GrantRef,
    args: { id: t.arg.string({ required: true, description: 'The id.' }) },
    ...runs('grant', ({ id }, services) => services.grants.get(id)),
  }),
}))

builder.mutationFields((t) => ({
  createGrant: t.field({
    type: GrantRef,
    args: { input: t.arg({ type: CreateGrantInput, required: true, description: 'The grant.' }) },
    ...runs('createGrant', (input, services) => services.grants.create(input)),
  }),
  deleteGrant: t.field({
    type: GrantDeletionRef,
    args: { id: t.arg.string({ required: true, description: 'The id.' }) },
    ...runs('deleteGrant', ({ id }, services) => services.grants.delete(id)),
  }),
}))

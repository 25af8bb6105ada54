import type { NamespaceDeletion, NamespaceView } from '../../../domain/registries/namespaces.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import { pageType } from '../../builder/types.ts'
import { HiddenCountEnum, PlaneEnum } from '../common/enums.ts'

const NamespaceRef = builder.objectRef<NamespaceView>('Namespace').implement({
  description: 'A tenant, with its own scopes, Units and principals.',
  fields: (t) => ({
    namespace: t.exposeString('name', { description: 'The name.' }),
    tier: t.exposeString('tier', { description: '`free`, `pro` or `enterprise`.' }),
    owner: t.exposeString('owner', { nullable: true, description: 'The principal that claimed it.' }),
    home: t.exposeBoolean('home', { description: "Whether it is the caller's home namespace." }),
    registered: t.exposeBoolean('registered', {
      description: 'False for a home namespace that was created for a console user and not claimed.',
    }),
    planes: t.expose('planes', { type: [PlaneEnum], description: 'Planes that its tier includes.' }),
    maxNamespaces: t.exposeInt('maxNamespaces', {
      nullable: true,
      description:
        'Maximum number of registered namespaces that the principals of this home namespace may own together, including this one; null for no limit.',
    }),
    hiddenCount: t.expose('hiddenCount', {
      type: HiddenCountEnum,
      description: 'The most that answers say of hidden Units. A key may set less.',
    }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
  }),
})

const NamespacePageRef = pageType('NamespacePage', 'namespaces', NamespaceRef, {
  page: "A page of the caller's namespaces.",
  items: 'By name.',
})

const NamespaceDeletionRef = builder.objectRef<NamespaceDeletion>('NamespaceDeletion').implement({
  description: 'What deleting a namespace removed. Units are not counted.',
  fields: (t) => ({
    deleted: t.exposeBoolean('deleted', { description: 'Always true.' }),
    scopes: t.exposeInt('scopes', { description: 'Registered scopes removed.' }),
    grants: t.exposeInt('grants', { description: 'Grants in the namespace removed.' }),
    principals: t.exposeInt('principals', { description: 'Principals homed in it removed.' }),
  }),
})

builder.queryFields((t) => ({
  namespaces: t.field({
    type: NamespacePageRef,
    ...pages('namespaces', (range, services) => services.namespaces.list(range)),
  }),
  namespace: t.field({
    type: NamespaceRef,
    ...runs('namespace', ({ name }, services) => services.namespaces.get(name)),
  }),
}))

builder.mutationFields((t) => ({
  createNamespace: t.field({
    type: NamespaceRef,
    ...runs('createNamespace', ({ namespace }, services) => services.namespaces.create(namespace)),
  }),
  updateNamespace: t.field({
    type: NamespaceRef,
    ...runs('updateNamespace', (input, services) => services.namespaces.update(input)),
  }),
  transferNamespace: t.field({
    type: NamespaceRef,
    ...runs('transferNamespace', (input, services) => services.namespaces.transfer(input)),
  }),
  deleteNamespace: t.field({
    type: NamespaceDeletionRef,
    ...runs('deleteNamespace', ({ name }, services) => services.namespaces.delete(name)),
  }),
}))

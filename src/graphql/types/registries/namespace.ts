import type { NamespaceDeletion, NamespaceView } from '../../../domain/registries/namespaces.ts'
import { builder } from '../../builder/builder.ts'
import { pageArgs, pages, pageType, runs } from '../../builder/root-fields.ts'
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

const CreateNamespaceInput = builder.inputType('CreateNamespaceInput', {
  description: 'A namespace to register or claim.',
  fields: (t) => ({
    namespace: t.string({ required: true, description: 'The name.' }),
  }),
})

const UpdateNamespaceInput = builder.inputType('UpdateNamespaceInput', {
  description: 'Changes to a namespace. Fields that are left out keep their values.',
  fields: (t) => ({
    namespace: t.string({ required: true, description: 'The name.' }),
    hiddenCount: t.field({ type: HiddenCountEnum, description: 'The most that answers say of hidden Units.' }),
  }),
})

const TransferNamespaceInput = builder.inputType('TransferNamespaceInput', {
  description: 'The new owner of a namespace.',
  fields: (t) => ({
    namespace: t.string({ required: true, description: 'The name of a registered namespace.' }),
    principalId: t.string({
      required: true,
      description: 'The new owner, from any home namespace. It must not be read-only.',
    }),
  }),
})

builder.queryFields((t) => ({
  namespaces: t.field({
    type: NamespacePageRef,
    args: pageArgs('Offset from the first.'),
    ...pages('namespaces', (range, services) => services.namespaces.list(range)),
  }),
  namespace: t.field({
    type: NamespaceRef,
    args: { name: t.arg.string({ required: true, description: 'The name.' }) },
    ...runs('namespace', ({ name }, services) => services.namespaces.get(name)),
  }),
}))

builder.mutationFields((t) => ({
  createNamespace: t.field({
    type: NamespaceRef,
    args: { input: t.arg({ type: CreateNamespaceInput, required: true, description: 'The namespace.' }) },
    ...runs('createNamespace', ({ namespace }, services) => services.namespaces.create(namespace)),
  }),
  updateNamespace: t.field({
    type: NamespaceRef,
    args: { input: t.arg({ type: UpdateNamespaceInput, required: true, description: 'The changes.' }) },
    ...runs('updateNamespace', (input, services) => services.namespaces.update(input)),
  }),
  transferNamespace: t.field({
    type: NamespaceRef,
    args: {
      input: t.arg({ type: TransferNamespaceInput, required: true, description: 'The namespace and its new owner.' }),
    },
    ...runs('transferNamespace', (input, services) => services.namespaces.transfer(input)),
  }),
  deleteNamespace: t.field({
    type: NamespaceDeletionRef,
    args: { name: t.arg.string({ required: true, description: 'The name.' }) },
    ...runs('deleteNamespace', ({ name }, services) => services.namespaces.delete(name)),
  }),
}))

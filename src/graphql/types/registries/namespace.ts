import type { NamespaceView } from '../../../domain/registries/namespace-view.ts'
import type { NamespaceDeletion } from '../../../domain/registries/namespaces.ts'
import {
  namespaceInput,
  namespaceName,
  namespaceUpdate,
  transferInput,
} from '../../../domain/registries/registry-input.ts'
import { builder, checked, checkedInput } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { checkedPage, pageArgs, pageType } from '../../builder/pages.ts'
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
    description: "The caller's home namespace and every namespace in which it has a grant, by name.",
    args: pageArgs('Offset from the first.'),
    ...checkedPage((context, range) => servicesOf(context).namespaces.list(range)),
  }),
  namespace: t.field({
    type: NamespaceRef,
    description: 'One namespace. Needs an admin principal of it; anything else is forbidden, existing or not.',
    args: { name: t.arg.string({ required: true, description: 'The name.' }) },
    ...checked(namespaceName, ({ name }, context) => servicesOf(context).namespaces.get(name)),
  }),
}))

builder.mutationFields((t) => ({
  createNamespace: t.field({
    type: NamespaceRef,
    description:
      "Registers or claims a namespace. If the caller's home namespace has no scopes yet, the new namespace becomes its home. Names that are taken, reserved or deleted give the same error, 403.",
    args: { input: t.arg({ type: CreateNamespaceInput, required: true, description: 'The namespace.' }) },
    ...checkedInput(namespaceInput, ({ namespace }, context) => servicesOf(context).namespaces.create(namespace)),
  }),
  updateNamespace: t.field({
    type: NamespaceRef,
    description:
      'Changes the settings of a namespace, from the next request on. Needs an admin principal of it; anything else is forbidden, existing or not.',
    args: { input: t.arg({ type: UpdateNamespaceInput, required: true, description: 'The changes.' }) },
    ...checkedInput(namespaceUpdate, (input, context) => servicesOf(context).namespaces.update(input)),
  }),
  transferNamespace: t.field({
    type: NamespaceRef,
    description:
      "Makes an admin principal of a registered namespace its owner; agents and read-only principals cannot be. The former owner keeps its grants. Only the owner and the super-admin may. The namespace counts towards the `maxNamespaces` of the new owner's home namespace.",
    args: {
      input: t.arg({ type: TransferNamespaceInput, required: true, description: 'The namespace and its new owner.' }),
    },
    ...checkedInput(transferInput, (input, context) => servicesOf(context).namespaces.transfer(input)),
  }),
  deleteNamespace: t.field({
    type: NamespaceDeletionRef,
    description:
      'Removes a namespace with its scopes, grants, principals and Units; its name is never reissued. Needs an admin principal of it: the owner itself, if it has one, or the super-admin. Refused where another owner is homed in it, or where another namespace would lose its last admin principal.',
    args: { name: t.arg.string({ required: true, description: 'The name.' }) },
    ...checked(namespaceName, ({ name }, context) => servicesOf(context).namespaces.delete(name)),
  }),
}))

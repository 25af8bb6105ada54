import { idInput } from '../../../domain/input/fields.ts'
import type { NewPrincipal, PrincipalDeletion } from '../../../domain/registries/principals.ts'
import { principalInput } from '../../../domain/registries/registry-input.ts'
import { type PrincipalRecord, principalKinds } from '../../../model/registry.ts'
import { builder, checked, checkedInput } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { checkedPage, pageArgs, pageType } from '../../builder/pages.ts'
import { described } from '../common/enums.ts'

const PrincipalKindEnum = builder.enumType('PrincipalKind', {
  description: 'What a principal stands for.',
  values: described(principalKinds, {
    user: 'A person.',
    agent: 'A program that acts on its own; some scopes are read-only to it.',
    service: 'A system.',
  }),
})

const PrincipalFields = builder.interfaceRef<PrincipalRecord>('PrincipalRecord').implement({
  description: 'Whom requests are authenticated to.',
  fields: (t) => ({
    principalId: t.exposeString('principalId', { description: 'Its id: minted, immutable and never reissued.' }),
    namespace: t.exposeString('namespace', { description: 'Its home.' }),
    kind: t.expose('kind', { type: PrincipalKindEnum, description: 'What it stands for.' }),
    groups: t.exposeStringList('groups', { description: 'Its groups; they count in its home.' }),
    readOnly: t.exposeBoolean('readOnly', { description: 'Whether it may only read, whatever its grants.' }),
    activeScope: t.exposeString('activeScope', { description: 'The scope of requests that name none.' }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
  }),
})

const PrincipalRef = builder.objectRef<PrincipalRecord>('Principal').implement({
  description: 'Whom requests are authenticated to.',
  interfaces: [PrincipalFields],
})

const PrincipalPageRef = pageType('PrincipalPage', 'principals', PrincipalRef, {
  page: "A page of a namespace's principals.",
  items: 'Oldest first.',
})

const NewPrincipalRef = builder.objectRef<NewPrincipal>('NewPrincipal').implement({
  description: 'A principal that was just made.',
  interfaces: [PrincipalFields],
  fields: (t) => ({ token: t.exposeString('token', { description: 'Its API token: shown this once.' }) }),
})

const PrincipalDeletionRef = builder.objectRef<PrincipalDeletion>('PrincipalDeletion').implement({
  description: 'What deleting a principal removed.',
  fields: (t) => ({
    deleted: t.exposeBoolean('deleted', { description: 'Always true.' }),
    tokens: t.exposeInt('tokens', { description: 'Tokens that no longer work.' }),
    grants: t.exposeInt('grants', { description: 'Its grants in the namespace; those elsewhere go too, uncounted.' }),
  }),
})

const CreatePrincipalInput = builder.inputType('CreatePrincipalInput', {
  description: 'A principal to make; it holds no grants yet.',
  fields: (t) => ({
    name: t.string({ description: 'Names its token; its kind does when it is left out.' }),
    kind: t.field({ type: PrincipalKindEnum, description: 'What it stands for.' }),
    groups: t.stringList({ description: "Its groups: the caller's own, or any for the namespace's owner." }),
    readOnly: t.boolean({ description: 'Whether it may only read.' }),
    activeScope: t.string({ description: 'The scope of requests that name none: a path or `*`.' }),
  }),
})

builder.queryFields((t) => ({
  principals: t.field({
    type: PrincipalPageRef,
    description: 'The principals homed in the namespace, oldest first. Needs an admin principal.',
    args: pageArgs('Offset from the oldest.'),
    ...checkedPage((context, range) => servicesOf(context).principals.list(range)),
  }),
  principal: t.field({
    type: PrincipalRef,
    description: 'One principal homed in the namespace. Needs an admin principal.',
    args: { id: t.arg.string({ required: true, description: 'The principal id.' }) },
    ...checked(idInput, ({ id }, context) => servicesOf(context).principals.get(id)),
  }),
}))

builder.mutationFields((t) => ({
  createPrincipal: t.field({
    type: NewPrincipalRef,
    description: 'Makes a principal homed in the namespace, with a token. Needs an admin principal.',
    args: { input: t.arg({ type: CreatePrincipalInput, required: true, description: 'The principal.' }) },
    ...checkedInput(principalInput, (input, context) => servicesOf(context).principals.create(input)),
  }),
  deletePrincipal: t.field({
    type: PrincipalDeletionRef,
    description:
      'Removes a principal homed in the namespace, its tokens and its grants everywhere; not the last admin principal. Needs an admin principal.',
    args: { id: t.arg.string({ required: true, description: 'The principal id.' }) },
    ...checked(idInput, ({ id }, context) => servicesOf(context).principals.delete(id)),
  }),
}))

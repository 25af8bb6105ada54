import type { NewPrincipal, PrincipalDeletion } from '../../../domain/registries/principals.ts'
import { type PrincipalRecord, principalKinds } from '../../../model/registry.ts'
import { builder } from '../../builder/builder.ts'
import { pageArgs, pages, pageType, runs } from '../../builder/root-fields.ts'
import { described } from '../common/enums.ts'

const PrincipalKindEnum = builder.enumType('PrincipalKind', {
  description: 'The kind of a principal.',
  values: described(principalKinds, {
    user: 'A person.',
    agent: 'A program that acts autonomously. Some scopes are read-only for it.',
    service: 'A system.',
  }),
})

const PrincipalFields = builder.interfaceRef<PrincipalRecord>('PrincipalRecord').implement({
  description: 'A user, service or agent that sends requests.',
  fields: (t) => ({
    principalId: t.exposeString('principalId', { description: 'Its id. It never changes and is never reused.' }),
    namespace: t.exposeString('namespace', { description: 'Its home namespace.' }),
    kind: t.expose('kind', { type: PrincipalKindEnum, description: 'Its kind.' }),
    groups: t.exposeStringList('groups', { description: 'Its groups in its home namespace.' }),
    readOnly: t.exposeBoolean('readOnly', { description: 'Whether it may only read, whatever its grants.' }),
    activeScope: t.exposeString('activeScope', { description: 'The scope of requests without a scope.' }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
  }),
})

const PrincipalRef = builder.objectRef<PrincipalRecord>('Principal').implement({
  description: 'A user, service or agent that sends requests.',
  interfaces: [PrincipalFields],
})

const PrincipalPageRef = pageType('PrincipalPage', 'principals', PrincipalRef, {
  page: "A page of a namespace's principals.",
  items: 'Oldest first.',
})

const NewPrincipalRef = builder.objectRef<NewPrincipal>('NewPrincipal').implement({
  description: 'A new principal.',
  interfaces: [PrincipalFields],
  fields: (t) => ({ token: t.exposeString('token', { description: 'Its API token. It is shown only once.' }) }),
})

const PrincipalDeletionRef = builder.objectRef<PrincipalDeletion>('PrincipalDeletion').implement({
  description: 'What deleting a principal removed.',
  fields: (t) => ({
    deleted: t.exposeBoolean('deleted', { description: 'Always true.' }),
    tokens: t.exposeInt('tokens', { description: 'Tokens that no longer work.' }),
    grants: t.exposeInt('grants', {
      description: 'Number of its grants in the namespace. Its grants elsewhere are removed too, but not counted.',
    }),
  }),
})

const CreatePrincipalInput = builder.inputType('CreatePrincipalInput', {
  description: 'A new principal. It has no grants yet.',
  fields: (t) => ({
    name: t.string({ description: 'The name in its token. Default: its kind.' }),
    kind: t.field({ type: PrincipalKindEnum, description: 'Its kind.' }),
    groups: t.stringList({
      description: 'Its groups. You can grant groups you belong to; the owner of the namespace can grant any.',
    }),
    readOnly: t.boolean({ description: 'Whether it may only read.' }),
    activeScope: t.string({ description: 'The scope of requests without a scope: a path or `*`.' }),
  }),
})

builder.queryFields((t) => ({
  principals: t.field({
    type: PrincipalPageRef,
    args: pageArgs('Offset from the oldest.'),
    ...pages('principals', (range, services) => services.principals.list(range)),
  }),
  principal: t.field({
    type: PrincipalRef,
    args: { id: t.arg.string({ required: true, description: 'The principal id.' }) },
    ...runs('principal', ({ id }, services) => services.principals.get(id)),
  }),
}))

builder.mutationFields((t) => ({
  createPrincipal: t.field({
    type: NewPrincipalRef,
    args: { input: t.arg({ type: CreatePrincipalInput, required: true, description: 'The principal.' }) },
    ...runs('createPrincipal', (input, services) => services.principals.create(input)),
  }),
  deletePrincipal: t.field({
    type: PrincipalDeletionRef,
    args: { id: t.arg.string({ required: true, description: 'The principal id.' }) },
    ...runs('deletePrincipal', ({ id }, services) => services.principals.delete(id)),
  }),
}))

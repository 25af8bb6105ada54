import { scopeInput, scopeUpdate } from '../../../domain/scopes/scope-input.ts'
import type { ScopeDeletion } from '../../../domain/scopes/scopes.ts'
import type { Scope } from '../../../model/registry.ts'
import { builder, checked, checkedInput } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { checkedPage, pageArgs, pageType } from '../../builder/pages.ts'
import { PlaneEnum } from '../common/enums.ts'

const ScopeRef = builder.objectRef<Scope>('Scope').implement({
  description: 'A registered scope: a path-like partition of a namespace.',
  fields: (t) => ({
    scope: t.exposeString('scope', { description: 'The path, such as `acme/backend`.' }),
    namespace: t.exposeString('namespace', { description: 'The owning namespace.' }),
    parent: t.exposeString('parent', {
      nullable: true,
      description: 'A registered scope above it: the nearest one, unless an update selected another or none.',
    }),
    planes: t.expose('planes', { type: [PlaneEnum], description: 'Planes enabled for the scope.' }),
    readOnlyAgents: t.exposeBoolean('readOnlyAgents', {
      description: 'Agents may only read here and below, whatever their grants.',
    }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
  }),
})

const ScopePageRef = pageType('ScopePage', 'scopes', ScopeRef, {
  page: "A page of a namespace's scopes.",
  items: 'By path.',
})

const ScopeDeletionRef = builder.objectRef<ScopeDeletion>('ScopeDeletion').implement({
  description: 'What deleting a scope removed. Units are not counted: some may be hidden from the caller.',
  fields: (t) => ({
    deleted: t.exposeBoolean('deleted', { description: 'Always true.' }),
    scopes: t.exposeInt('scopes', { description: 'Registered scopes removed, the subtree included.' }),
    grants: t.exposeInt('grants', { description: 'Grants on them removed.' }),
  }),
})

const CreateScopeInput = builder.inputType('CreateScopeInput', {
  description: 'A scope to register.',
  fields: (t) => ({
    scope: t.string({
      required: true,
      description: 'Path of 1-8 segments of `[A-Za-z0-9._-]`.',
    }),
  }),
})

const UpdateScopeInput = builder.inputType('UpdateScopeInput', {
  description: 'Changes to a scope. Fields that are left out keep their values.',
  fields: (t) => ({
    planes: t.field({
      type: [PlaneEnum],
      description: 'The planes that accept Units and are searched. Units of other planes are still listed.',
    }),
    readOnlyAgents: t.boolean({ description: 'If true, agents may only read here and below, whatever their grants.' }),
    parent: t.string({ description: 'A registered scope above it, or null for none.' }),
  }),
})

builder.queryFields((t) => ({
  scopes: t.field({
    type: ScopePageRef,
    description: 'Registered scopes that the caller may see.',
    args: pageArgs('Offset among those that the caller may see.'),
    ...checkedPage((context, range) => servicesOf(context).scopes.list(range)),
  }),
  scope: t.field({
    type: ScopeRef,
    description: 'One registered scope; one that the caller may not see is not found.',
    args: { scope: t.arg.string({ required: true, description: 'The path.' }) },
    ...checked(scopeInput, ({ scope }, context) => servicesOf(context).scopes.get(scope)),
  }),
}))

builder.mutationFields((t) => ({
  createScope: t.field({
    type: ScopeRef,
    description:
      'Registers a scope and grants its creator all permissions on it. Needs `write`, or `admin` if others use the scopes below.',
    args: { input: t.arg({ type: CreateScopeInput, required: true, description: 'The scope.' }) },
    ...checkedInput(scopeInput, ({ scope }, context) => servicesOf(context).scopes.create(scope)),
  }),
  updateScope: t.field({
    type: ScopeRef,
    description: 'Changes the settings of a scope, from the next request on. Needs `admin` on it.',
    args: {
      scope: t.arg.string({ required: true, description: 'The path.' }),
      input: t.arg({ type: UpdateScopeInput, required: true, description: 'The changes.' }),
    },
    // A null means that the scope has no parent.
    ...checked(scopeUpdate, ({ scope, input }, context) => servicesOf(context).scopes.update(scope, input), {
      nulls: 'kept',
    }),
  }),
  deleteScope: t.field({
    type: ScopeDeletionRef,
    description: 'Removes a scope, its subtree, the grants on them and their Units. Needs `admin`.',
    args: { scope: t.arg.string({ required: true, description: 'The path.' }) },
    ...checked(scopeInput, ({ scope }, context) => servicesOf(context).scopes.delete(scope)),
  }),
}))

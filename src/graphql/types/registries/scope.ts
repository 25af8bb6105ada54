import type { ScopeDeletion } from '../../../domain/scopes/scopes.ts'
import type { Scope } from '../../../model/registry.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import { pageType } from '../../builder/types.ts'
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

builder.queryFields((t) => ({
  scopes: t.field({
    type: ScopePageRef,
    ...pages('scopes', (range, services) => services.scopes.list(range)),
  }),
  scope: t.field({
    type: ScopeRef,
    ...runs('scope', ({ scope }, services) => services.scopes.get(scope)),
  }),
}))

builder.mutationFields((t) => ({
  createScope: t.field({
    type: ScopeRef,
    ...runs('createScope', ({ scope }, services) => services.scopes.create(scope)),
  }),
  updateScope: t.field({
    type: ScopeRef,
    ...runs('updateScope', ({ scope, input }, services) => services.scopes.update(scope, input)),
  }),
  deleteScope: t.field({
    type: ScopeDeletionRef,
    ...runs('deleteScope', ({ scope }, services) => services.scopes.delete(scope)),
  }),
}))

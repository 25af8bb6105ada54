import type { ScopeDeletion } from '../../../domain/scopes/scopes.ts'
import type { Scope } from '../../../model/registry.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import { boolean, int, list, nullable, objectType, pageType, safeInt, string } from '../../builder/types.ts'
import { PlaneEnum } from '../common/enums.ts'

const ScopeRef = objectType<Scope>('Scope', 'A registered scope: a path-like partition of a namespace.', {
  scope: string('The path, such as `acme/backend`.'),
  namespace: string('The owning namespace.'),
  parent: nullable(string('A registered scope above it: the nearest one, unless an update selected another or none.')),
  planes: list(PlaneEnum, 'Planes enabled for the scope.'),
  readOnlyAgents: boolean('Agents may only read here and below, whatever their grants.'),
  createdAt: safeInt('Epoch milliseconds.'),
})

const ScopePageRef = pageType('ScopePage', 'scopes', ScopeRef, {
  page: "A page of a namespace's scopes.",
  items: 'By path.',
})

const ScopeDeletionRef = objectType<ScopeDeletion>(
  'ScopeDeletion',
  'What deleting a scope removed. Units are not counted: some may be hidden from the caller.',
  {
    deleted: boolean('Always true.'),
    scopes: int('Registered scopes removed, the subtree included.'),
    grants: int('Grants on them removed.'),
  },
)

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

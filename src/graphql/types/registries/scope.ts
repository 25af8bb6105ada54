import type { ScopeDeletion } from '../../../domain/scopes/scopes.ts'
import type { Scope } from '../../../model/registry.ts'
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

pages('scopes', ScopePageRef, (range, services) => services.scopes.list(range))

runs('scope', ScopeRef, ({ scope }, services) => services.scopes.get(scope))

runs('createScope', ScopeRef, ({ scope }, services) => services.scopes.create(scope))

runs('updateScope', ScopeRef, ({ scope, input }, services) => services.scopes.update(scope, input))

runs('deleteScope', ScopeDeletionRef, ({ scope }, services) => services.scopes.delete(scope))

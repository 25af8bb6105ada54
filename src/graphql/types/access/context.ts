import type { ContextView } from '../../../domain/access/visibility.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { PermissionEnum } from '../common/enums.ts'

const PrincipalRef = builder.objectRef<ContextView['principal']>('ContextPrincipal').implement({
  description: 'Who is calling.',
  fields: (t) => ({
    principalId: t.exposeString('principalId', { description: 'Immutable id of the principal.' }),
    namespace: t.exposeString('namespace', { description: 'Its home namespace.' }),
    readOnly: t.exposeBoolean('readOnly', {
      description: 'Whether it has only the permission `read`, whatever its grants.',
    }),
    groups: t.exposeStringList('groups', {
      description: 'The groups that count in the requested scope; for `*`, those that count anywhere in the namespace.',
    }),
  }),
})

export const ContextRef = builder.objectRef<ContextView>('Context').implement({
  description: 'The resolved enforcement context of a request.',
  fields: (t) => ({
    principal: t.expose('principal', { type: PrincipalRef, description: 'Who is calling.' }),
    activeScope: t.exposeString('activeScope', { description: 'The scope that the request is bound to.' }),
    requestedScope: t.exposeString('requestedScope', {
      description: 'The requested scope; `*` is everything allowed.',
    }),
    effectiveScopes: t.exposeStringList('effectiveScopes', {
      description:
        'The requested scope and its registered descendants, where `read` is held; none where the requested scope may not be read.',
    }),
    allowedScopes: t.exposeStringList('allowedScopes', { description: 'Registered scopes that the caller may see.' }),
    perms: t.expose('perms', {
      type: [PermissionEnum],
      description: "The caller's permissions on the requested scope, for display.",
    }),
    foldersVisible: t.exposeInt('foldersVisible', { description: 'How many registered scopes the caller may see.' }),
    foldersTotal: t.exposeInt('foldersTotal', { description: 'How many scopes the namespace has registered.' }),
  }),
})

builder.queryField('context', (t) =>
  t.field({
    type: ContextRef,
    ...runs('context', (_, services) => services.context()),
  }),
)

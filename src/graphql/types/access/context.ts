import type { ContextView } from '../../../domain/access/visibility.ts'
import { runs } from '../../builder/root-fields.ts'
import { boolean, int, list, objectType, of, string, strings } from '../../builder/types.ts'
import { PermissionEnum } from '../common/enums.ts'

const PrincipalRef = objectType<ContextView['principal']>('ContextPrincipal', 'Who is calling.', {
  principalId: string('Immutable id of the principal.'),
  namespace: string('Its home namespace.'),
  readOnly: boolean('Whether it has only the permission `read`, whatever its grants.'),
  groups: strings('The groups that count in the requested scope; for `*`, those that count anywhere in the namespace.'),
})

export const ContextRef = objectType<ContextView>('Context', 'The resolved enforcement context of a request.', {
  principal: of(PrincipalRef, 'Who is calling.'),
  activeScope: string('The scope that the request is bound to.'),
  requestedScope: string('The requested scope; `*` is everything allowed.'),
  effectiveScopes: strings(
    'The requested scope and its registered descendants, where `read` is held; none where the requested scope may not be read.',
  ),
  allowedScopes: strings('Registered scopes that the caller may see.'),
  perms: list(PermissionEnum, "The caller's permissions on the requested scope, for display."),
  foldersVisible: int('How many registered scopes the caller may see.'),
  foldersTotal: int('How many scopes the namespace has registered.'),
})

runs('context', ContextRef, (_, services) => services.context())

import type { AccessExplanation } from '../../../domain/explain/explain-access.ts'
import { type Reason, reasonCodes, reasonEffects, type Verdict } from '../../../model/explanation.ts'
import type { Grant } from '../../../model/registry.ts'
import { runs } from '../../builder/root-fields.ts'
import { boolean, enumType, list, nullable, objectType, of, string } from '../../builder/types.ts'
import { PermissionEnum } from '../common/enums.ts'

const ReasonCodeEnum = enumType('AccessReasonCode', 'A reason why an access is allowed or denied.', reasonCodes, {
  grant: 'A grant gives the permission there.',
  owner: 'The principal owns the Unit.',
  group: "One of the principal's groups may read the Unit, or everyone in its scope may.",
  no_grant: 'No grant gives the permission there.',
  no_acl: 'The principal neither owns the Unit nor is in one of its groups.',
  not_readable: 'Only readable Units can be changed.',
  read_only: 'The principal is read-only, whatever its grants.',
  read_only_agents: 'The principal is an agent, and the scope or one above it is read-only to agents.',
  plane_closed:
    'The tier or the scope does not enable the plane of the Unit. The Unit is not found by searches, but can be fetched and listed.',
  principal_deleted: 'The principal was deleted.',
})

const ReasonEffectEnum = enumType('AccessReasonEffect', 'The effect of a reason on an access.', reasonEffects, {
  allows: 'It allows the access.',
  denies: 'It denies the access.',
  notes: 'It does not affect the access.',
})

const ReasonGrantRef = objectType<Grant>('AccessGrant', 'A grant that decides.', {
  id: string('Its id.'),
  scope: string('A path, or `*` for everything.'),
  perms: list(PermissionEnum, 'What it allows.'),
})

const ReasonRef = objectType<Reason>('AccessReason', 'A reason why an access is allowed or denied.', {
  code: of(ReasonCodeEnum, 'The reason as a code.'),
  effect: of(ReasonEffectEnum, 'The effect of the reason.'),
  detail: string('The reason as text.'),
  grant: nullable(of(ReasonGrantRef, 'The grant concerned.')),
  group: nullable(string('The group concerned; `*` is everyone in the scope.')),
  scope: nullable(string('The scope that is read-only to agents.')),
})

const VerdictRef = objectType<Verdict>('AccessVerdict', 'Whether an access is allowed, and why.', {
  allowed: boolean('True unless a reason denies it.'),
  reasons: list(ReasonRef, 'All reasons, for and against.'),
})

const ExplanationRef = objectType<AccessExplanation>(
  'AccessExplanation',
  'What a principal may do now with a token without restrictions.',
  {
    principalId: string('The principal.'),
    read: of(VerdictRef, 'Whether it may read the Unit, or anything in the scope.'),
    write: of(VerdictRef, 'Whether it may change or delete the Unit, or write in the scope.'),
  },
)

runs('explainAccess', ExplanationRef, (args, services) => services.explainAccess(args))

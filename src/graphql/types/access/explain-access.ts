import type { AccessExplanation } from '../../../domain/explain/explain-access.ts'
import { type Reason, reasonCodes, reasonEffects, type Verdict } from '../../../model/explanation.ts'
import type { Grant } from '../../../model/registry.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { enumType } from '../../builder/types.ts'
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

const ReasonGrantRef = builder.objectRef<Grant>('AccessGrant').implement({
  description: 'A grant that decides.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its id.' }),
    scope: t.exposeString('scope', { description: 'A path, or `*` for everything.' }),
    perms: t.expose('perms', { type: [PermissionEnum], description: 'What it allows.' }),
  }),
})

const ReasonRef = builder.objectRef<Reason>('AccessReason').implement({
  description: 'A reason why an access is allowed or denied.',
  fields: (t) => ({
    code: t.expose('code', { type: ReasonCodeEnum, description: 'The reason as a code.' }),
    effect: t.expose('effect', { type: ReasonEffectEnum, description: 'The effect of the reason.' }),
    detail: t.exposeString('detail', { description: 'The reason as text.' }),
    grant: t.expose('grant', { type: ReasonGrantRef, nullable: true, description: 'The grant concerned.' }),
    group: t.exposeString('group', {
      nullable: true,
      description: 'The group concerned; `*` is everyone in the scope.',
    }),
    scope: t.exposeString('scope', { nullable: true, description: 'The scope that is read-only to agents.' }),
  }),
})

const VerdictRef = builder.objectRef<Verdict>('AccessVerdict').implement({
  description: 'Whether an access is allowed, and why.',
  fields: (t) => ({
    allowed: t.exposeBoolean('allowed', { description: 'True unless a reason denies it.' }),
    reasons: t.expose('reasons', { type: [ReasonRef], description: 'All reasons, for and against.' }),
  }),
})

const ExplanationRef = builder.objectRef<AccessExplanation>('AccessExplanation').implement({
  description: 'What a principal may do now with a token without restrictions.',
  fields: (t) => ({
    principalId: t.exposeString('principalId', { description: 'The principal.' }),
    read: t.expose('read', {
      type: VerdictRef,
      description: 'Whether it may read the Unit, or anything in the scope.',
    }),
    write: t.expose('write', {
      type: VerdictRef,
      description: 'Whether it may change or delete the Unit, or write in the scope.',
    }),
  }),
})

builder.queryField('explainAccess', (t) =>
  t.field({
    type: ExplanationRef,
    ...runs('explainAccess', (args, services) => services.explainAccess(args)),
  }),
)

import type { AccessExplanation } from '../../../domain/explain/explain-access.ts'
import { explainInput } from '../../../domain/explain/explain-input.ts'
import { type Reason, reasonCodes, reasonEffects, type Verdict } from '../../../model/explanation.ts'
import type { Grant } from '../../../model/registry.ts'
import { builder, checked } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { described, PermissionEnum } from '../common/enums.ts'

const ReasonCodeEnum = builder.enumType('AccessReasonCode', {
  description: 'What speaks for or against an access.',
  values: described(reasonCodes, {
    grant: 'A grant carries the permission there.',
    owner: 'The principal owns the Unit.',
    group: "One of the principal's groups may read the Unit, or everyone in its scope may.",
    no_grant: 'No grant carries the permission there.',
    no_acl: 'The principal neither owns the Unit nor is in one of its groups.',
    not_readable: 'Only readable Units can be changed.',
    read_only: 'The principal is read-only, whatever its grants.',
    read_only_agents: 'The principal is an agent, and the scope or one above it is read-only to agents.',
    plane_closed:
      "The tier or the scope has the Unit's plane closed: it is not searched, but still fetched and listed.",
    principal_deleted: 'The principal was deleted.',
  }),
})

const ReasonEffectEnum = builder.enumType('AccessReasonEffect', {
  description: 'What a reason does to an access.',
  values: described(reasonEffects, {
    allows: 'It speaks for the access.',
    denies: 'It is enough to refuse the access.',
    notes: 'It changes nothing about the access.',
  }),
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
  description: 'One thing that speaks for or against an access.',
  fields: (t) => ({
    code: t.expose('code', { type: ReasonCodeEnum, description: 'What it is.' }),
    effect: t.expose('effect', { type: ReasonEffectEnum, description: 'What it does.' }),
    detail: t.exposeString('detail', { description: 'The same in words.' }),
    grant: t.expose('grant', { type: ReasonGrantRef, nullable: true, description: 'The grant that it is about.' }),
    group: t.exposeString('group', {
      nullable: true,
      description: 'The group that it is about; `*` is everyone in the scope.',
    }),
    scope: t.exposeString('scope', { nullable: true, description: 'The scope that is read-only to agents.' }),
  }),
})

const VerdictRef = builder.objectRef<Verdict>('AccessVerdict').implement({
  description: 'Whether an access is allowed, and why.',
  fields: (t) => ({
    allowed: t.exposeBoolean('allowed', { description: 'True unless a reason denies it.' }),
    reasons: t.expose('reasons', { type: [ReasonRef], description: 'All that decides it, both ways.' }),
  }),
})

const ExplanationRef = builder.objectRef<AccessExplanation>('AccessExplanation').implement({
  description: 'What a principal may do, as a token of its without restrictions would find it now.',
  fields: (t) => ({
    principalId: t.exposeString('principalId', { description: 'The principal.' }),
    read: t.expose('read', { type: VerdictRef, description: 'Fetching the Unit, or reading under the scope.' }),
    write: t.expose('write', {
      type: VerdictRef,
      description: 'Deleting the Unit, or writing under the scope.',
    }),
  }),
})

builder.queryField('explainAccess', (t) =>
  t.field({
    type: ExplanationRef,
    description:
      'Why a principal may or may not read and change a Unit, or what lies under a scope. A Unit that the caller may not read is not found, nor is a principal that is neither homed in the namespace nor holds a grant there. Needs an admin principal, and is audited.',
    args: {
      principalId: t.arg.string({ required: true, description: 'The principal.' }),
      unitId: t.arg.string({ description: 'A Unit; either this or a scope.' }),
      scope: t.arg.string({ description: 'A scope path, or `*` for wherever it holds something.' }),
    },
    ...checked(explainInput, (args, context) => servicesOf(context).explainAccess(args)),
  }),
)

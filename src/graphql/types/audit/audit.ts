import type { AuditPage } from '../../../domain/audit/list-audit.ts'
import type { AnchorState, AuditVerification } from '../../../domain/audit/verify-audit.ts'
import type { AuditRow } from '../../../model/audit.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { nextCursorField } from '../../builder/types.ts'

export const AuditRowRef = builder.objectRef<AuditRow>('AuditRow').implement({
  description: "A row of a namespace's audit log. It never changes.",
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace that the chain belongs to.' }),
    seq: t.expose('seq', { type: 'SafeInt', description: 'Its position in the chain: 1, 2, 3 and so on.' }),
    time: t.expose('time', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
    principalId: t.exposeString('principalId', { description: 'The principal that acted.' }),
    action: t.exposeString('action', { description: 'What was done, such as `units.ingest`.' }),
    target: t.exposeString('target', {
      nullable: true,
      description: 'What the action changed or read: an id, a name or a scope path; null if it is not a single thing.',
    }),
    outcome: t.exposeString('outcome', { description: '`ok`, or the error code of what was refused.' }),
    requestId: t.exposeString('requestId', { description: 'The `X-Request-Id` of the request.' }),
    detail: t.expose('detail', { type: 'JSON', description: 'Ids and counts; its keys depend on the action.' }),
    prevHash: t.exposeString('prevHash', { description: 'The hash of the row before; 64 zeros in the first.' }),
    hash: t.exposeString('hash', {
      description:
        'SHA-256, in hex, of the 32 bytes of the previous hash followed by the RFC 8785 canonical JSON of the row without the two hashes, in the names of the REST interface.',
    }),
  }),
})

const AuditPageRef = builder.objectRef<AuditPage>('AuditPage').implement({
  description: 'A page of an audit log.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace.' }),
    rows: t.expose('rows', { type: [AuditRowRef], description: 'Newest first.' }),
    count: t.expose('count', {
      type: 'SafeInt',
      description: 'Number of rows on all pages that the caller may see.',
    }),
    whole: t.exposeBoolean('whole', {
      description: 'Whether the caller sees every row of the log: without a filter, its pages have no gap in `seq`.',
    }),
    nextCursor: t.expose('nextCursor', nextCursorField),
  }),
})

const AnchorStateRef = builder.objectRef<AnchorState>('AuditAnchor').implement({
  description: "The copy of an audit log's checkpoints outside the catalog.",
  fields: (t) => ({
    engine: t.exposeString('engine', { description: 'Where it is stored: `filesystem` or `s3`.' }),
    size: t.expose('size', {
      type: 'SafeInt',
      nullable: true,
      description: 'Number of rows in the largest stored checkpoint; null if none is stored.',
    }),
    behind: t.exposeBoolean('behind', {
      description:
        'Whether the catalog has a larger checkpoint. Until it is stored here too, the loss of the newest rows cannot be detected.',
    }),
  }),
})

const AuditVerificationRef = builder.objectRef<AuditVerification>('AuditVerification').implement({
  description: 'The result of verifying an audit chain.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace.' }),
    intact: t.exposeBoolean('intact', { description: 'Whether every row exists and is unchanged.' }),
    checked: t.expose('checked', {
      type: 'SafeInt',
      description: 'Number of verified rows, up to the head or the first broken row.',
    }),
    headSeq: t.expose('headSeq', { type: 'SafeInt', description: 'The last row when the verification began.' }),
    headHash: t.exposeString('headHash', { description: 'The hash of that row; 64 zeros if there are no rows.' }),
    breakAt: t.expose('breakAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'Sequence number of the first broken or missing row; null when intact.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'What is wrong with that row; null if intact.' }),
    anchor: t.expose('anchor', {
      type: AnchorStateRef,
      description: 'The copy of its checkpoints outside the catalog.',
    }),
  }),
})

builder.queryFields((t) => ({
  audit: t.field({
    type: AuditPageRef,
    ...runs('audit', (input, services) => services.audit.list(input)),
  }),
  verifyAudit: t.field({
    type: AuditVerificationRef,
    ...runs('verifyAudit', (_, services) => services.audit.verify()),
  }),
}))

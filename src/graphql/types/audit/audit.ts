import type { AuditPage } from '../../../domain/audit/list-audit.ts'
import type { AnchorState, AuditVerification } from '../../../domain/audit/verify-audit.ts'
import type { AuditRow } from '../../../model/audit.ts'
import { runs } from '../../builder/root-fields.ts'
import { boolean, json, list, nextCursor, nullable, objectType, of, safeInt, string } from '../../builder/types.ts'

export const AuditRowRef = objectType<AuditRow>('AuditRow', "A row of a namespace's audit log. It never changes.", {
  namespace: string('The namespace that the chain belongs to.'),
  seq: safeInt('Its position in the chain: 1, 2, 3 and so on.'),
  time: safeInt('Epoch milliseconds.'),
  principalId: string('The principal that acted.'),
  action: string('What was done, such as `units.ingest`.'),
  target: nullable(
    string('What the action changed or read: an id, a name or a scope path; null if it is not a single thing.'),
  ),
  outcome: string('`ok`, or the error code of what was refused.'),
  requestId: string('The `X-Request-Id` of the request.'),
  detail: json('Ids and counts; its keys depend on the action.'),
  prevHash: string('The hash of the row before; 64 zeros in the first.'),
  hash: string(
    'SHA-256, in hex, of the 32 bytes of the previous hash followed by the RFC 8785 canonical JSON of the row without the two hashes, in the names of the REST interface.',
  ),
})

const AuditPageRef = objectType<AuditPage>('AuditPage', 'A page of an audit log.', {
  namespace: string('The namespace.'),
  rows: list(AuditRowRef, 'Newest first.'),
  count: safeInt('Number of rows on all pages that the caller may see.'),
  whole: boolean('Whether the caller sees every row of the log: without a filter, its pages have no gap in `seq`.'),
  nextCursor,
})

const AnchorStateRef = objectType<AnchorState>(
  'AuditAnchor',
  "The copy of an audit log's checkpoints outside the catalog.",
  {
    engine: string('Where it is stored: `filesystem` or `s3`.'),
    size: nullable(safeInt('Number of rows in the largest stored checkpoint; null if none is stored.')),
    behind: boolean(
      'Whether the catalog has a larger checkpoint. Until it is stored here too, the loss of the newest rows cannot be detected.',
    ),
  },
)

const AuditVerificationRef = objectType<AuditVerification>(
  'AuditVerification',
  'The result of verifying an audit chain.',
  {
    namespace: string('The namespace.'),
    intact: boolean('Whether every row exists and is unchanged.'),
    checked: safeInt('Number of verified rows, up to the head or the first broken row.'),
    headSeq: safeInt('The last row when the verification began.'),
    headHash: string('The hash of that row; 64 zeros if there are no rows.'),
    breakAt: nullable(safeInt('Sequence number of the first broken or missing row; null when intact.')),
    reason: nullable(string('What is wrong with that row; null if intact.')),
    anchor: of(AnchorStateRef, 'The copy of its checkpoints outside the catalog.'),
  },
)

runs('audit', AuditPageRef, (input, services) => services.audit.list(input))

runs('verifyAudit', AuditVerificationRef, (_, services) => services.audit.verify())

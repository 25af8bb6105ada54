import { exportFormats } from '../../model/audit.ts'
import { runs } from '../builder/root-fields.ts'
import {
  addName,
  boolean,
  enumType,
  json,
  list,
  nextCursor,
  nullable,
  objectType,
  of,
  safeInt,
  string,
  strings,
} from '../builder/types.ts'

const AuditRowRef = objectType('AuditRow', "A row of a namespace's audit log. It never changes.", {
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

addName(AuditRowRef, 'principalName', 'the principal that acted', ({ principalId }) => principalId)

const AuditPageRef = objectType('AuditPage', 'A page of an audit log.', {
  namespace: string('The namespace.'),
  rows: list(AuditRowRef, 'Newest first.'),
  count: safeInt('Number of rows on all pages that the caller may see.'),
  whole: boolean('Whether the caller sees every row of the log: without a filter, its pages have no gap in `seq`.'),
  nextCursor,
})

const AnchorStateRef = objectType('AuditAnchor', "The copy of an audit log's checkpoints outside the catalog.", {
  engine: string('Where it is stored: `filesystem` or `s3`.'),
  size: nullable(safeInt('Number of rows in the largest stored checkpoint; null if none is stored.')),
  behind: boolean(
    'Whether the catalog has a larger checkpoint. Until it is stored here too, the loss of the newest rows cannot be detected.',
  ),
})

const AuditVerificationRef = objectType('AuditVerification', 'The result of verifying an audit chain.', {
  namespace: string('The namespace.'),
  intact: boolean('Whether every row exists and is unchanged.'),
  checked: safeInt('Number of verified rows, up to the head or the first broken row.'),
  headSeq: safeInt('The last row when the verification began.'),
  headHash: string('The hash of that row; 64 zeros if there are no rows.'),
  breakAt: nullable(safeInt('Sequence number of the first broken or missing row; null when intact.')),
  reason: nullable(string('What is wrong with that row; null if intact.')),
  anchor: of(AnchorStateRef, 'The copy of its checkpoints outside the catalog.'),
})

runs('audit', AuditPageRef, (input, services) => services.audit.list(input))

runs('verifyAudit', AuditVerificationRef, (_, services) => services.audit.verify())

const CheckpointRef = objectType(
  'AuditCheckpoint',
  'The signed head of an audit log: its number of rows and their Merkle root (RFC 6962; a leaf is the canonical JSON of a row without its two hashes). Store it to detect any later change or removal of these rows.',
  {
    namespace: string('The namespace.'),
    origin: string("The log's name in the note. It is also the name of the key."),
    size: safeInt('Number of rows that it covers.'),
    rootHash: string('The Merkle root over these rows, in base64.'),
    time: safeInt('Time of signing, in epoch milliseconds.'),
    note: string('The checkpoint as a signed note: c2sp.org/tlog-checkpoint.'),
    verifierKey: string(
      'The public key that verifies the signature, in the format of c2sp.org/signed-note. Fetch it once and store it.',
    ),
  },
)

const ProofRef = objectType(
  'AuditProof',
  'A proof (RFC 6962) that a row is in a log, or that a log still begins with its earlier rows.',
  {
    namespace: string('The namespace.'),
    seq: nullable(safeInt('The row, which is leaf `seq` - 1 of the tree; null in a consistency proof.')),
    leafHash: nullable(string('Its hash in the tree, in base64.')),
    from: nullable(safeInt('Number of earlier rows; null in an inclusion proof.')),
    size: safeInt('Rows in the tree of the checkpoint.'),
    hashes: strings('The hashes of the proof in base64, in the order of RFC 6962.'),
    checkpoint: of(CheckpointRef, 'The checkpoint to verify the proof against.'),
  },
)

const StoreErasureRef = objectType('StoreErasure', 'The progress of a hard delete in one store.', {
  store: string('`catalog`, `vector_index`, `text_index`, or `object_store` (which holds uploaded sources).'),
  engine: string('The engine, as in health.'),
  erased: safeInt('Number of Units or sources that were removed.'),
  remaining: safeInt('Number that are not removed yet.'),
})

const ProvenRowRef = objectType('ProvenAuditRow', 'A row of an audit log, with the proof that it is in the log.', {
  row: of(AuditRowRef, 'The row.'),
  proof: of(ProofRef, 'The inclusion proof.'),
})

const DeletionReceiptRef = objectType('DeletionReceipt', 'Evidence of a hard delete.', {
  namespace: string('The namespace.'),
  seq: safeInt('The `seq` that the deletion returned.'),
  rows: list(ProvenRowRef, 'Its audit rows, one for each 1,000 Units.'),
  stores: list(StoreErasureRef, 'What has been removed from each store so far.'),
})

runs('auditCheckpoint', CheckpointRef, (args, services) => services.audit.checkpoint(args))

runs('auditProof', ProofRef, (args, services) => services.audit.proof(args))

runs('deletionReceipt', DeletionReceiptRef, ({ seq }, services) => services.audit.deletion(seq))

enumType('AuditExportFormat', 'The format of an exported log. Each line is a JSON object.', exportFormats, {
  ndjson: 'The rows as they were hashed, oldest first. `audit verify` checks this format.',
  ocsf: 'Events of the Open Cybersecurity Schema Framework. They cannot be verified; the hashes are in `unmapped`.',
})

const AuditExportRef = objectType('AuditExport', 'A link that exports an audit log once.', {
  url: string(
    'The address of the log. The first GET returns it, without a credential. It begins with `PUBLIC_URL`, or is a path if that is not set.',
  ),
  expiresAt: safeInt('Epoch milliseconds, at most ten minutes from now.'),
})

runs('exportAudit', AuditExportRef, (args, services) => services.audit.export(args))

import type { CheckpointView, DeletionReceipt, ProofView, StoreErasure } from '../../../domain/audit/prove.ts'
import { runs } from '../../builder/root-fields.ts'
import { list, nullable, objectType, of, safeInt, string, strings } from '../../builder/types.ts'
import { AuditRowRef } from './audit.ts'

const CheckpointRef = objectType<CheckpointView>(
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

const ProofRef = objectType<ProofView>(
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

const StoreErasureRef = objectType<StoreErasure>('StoreErasure', 'The progress of a hard delete in one store.', {
  store: string('`catalog`, `vector_index`, `text_index`, or `object_store` (which holds uploaded sources).'),
  engine: string('The engine, as in health.'),
  erased: safeInt('Number of Units or sources that were removed.'),
  remaining: safeInt('Number that are not removed yet.'),
})

const ProvenRowRef = objectType<DeletionReceipt['rows'][number]>(
  'ProvenAuditRow',
  'A row of an audit log, with the proof that it is in the log.',
  {
    row: of(AuditRowRef, 'The row.'),
    proof: of(ProofRef, 'The inclusion proof.'),
  },
)

const DeletionReceiptRef = objectType<DeletionReceipt>('DeletionReceipt', 'Evidence of a hard delete.', {
  namespace: string('The namespace.'),
  seq: safeInt('The `seq` that the deletion returned.'),
  rows: list(ProvenRowRef, 'Its audit rows, one for each 1,000 Units.'),
  stores: list(StoreErasureRef, 'What has been removed from each store so far.'),
})

runs('auditCheckpoint', CheckpointRef, (args, services) => services.audit.checkpoint(args))

runs('auditProof', ProofRef, (args, services) => services.audit.proof(args))

runs('deletionReceipt', DeletionReceiptRef, ({ seq }, services) => services.audit.deletion(seq))

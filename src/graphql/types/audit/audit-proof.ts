import type { CheckpointView, DeletionReceipt, ProofView, StoreErasure } from '../../../domain/audit/prove.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { AuditRowRef } from './audit.ts'

const CheckpointRef = builder.objectRef<CheckpointView>('AuditCheckpoint').implement({
  description:
    'The signed head of an audit log: its number of rows and their Merkle root (RFC 6962; a leaf is the canonical JSON of a row without its two hashes). Store it to detect any later change or removal of these rows.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace.' }),
    origin: t.exposeString('origin', { description: "The log's name in the note. It is also the name of the key." }),
    size: t.expose('size', { type: 'SafeInt', description: 'Number of rows that it covers.' }),
    rootHash: t.exposeString('rootHash', { description: 'The Merkle root over these rows, in base64.' }),
    time: t.expose('time', { type: 'SafeInt', description: 'Time of signing, in epoch milliseconds.' }),
    note: t.exposeString('note', { description: 'The checkpoint as a signed note: c2sp.org/tlog-checkpoint.' }),
    verifierKey: t.exposeString('verifierKey', {
      description:
        'The public key that verifies the signature, in the format of c2sp.org/signed-note. Fetch it once and store it.',
    }),
  }),
})

const ProofRef = builder.objectRef<ProofView>('AuditProof').implement({
  description: 'A proof (RFC 6962) that a row is in a log, or that a log still begins with its earlier rows.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace.' }),
    seq: t.expose('seq', {
      type: 'SafeInt',
      nullable: true,
      description: 'The row, which is leaf `seq` - 1 of the tree; null in a consistency proof.',
    }),
    leafHash: t.exposeString('leafHash', { nullable: true, description: 'Its hash in the tree, in base64.' }),
    from: t.expose('from', {
      type: 'SafeInt',
      nullable: true,
      description: 'Number of earlier rows; null in an inclusion proof.',
    }),
    size: t.expose('size', { type: 'SafeInt', description: 'Rows in the tree of the checkpoint.' }),
    hashes: t.exposeStringList('hashes', {
      description: 'The hashes of the proof in base64, in the order of RFC 6962.',
    }),
    checkpoint: t.expose('checkpoint', {
      type: CheckpointRef,
      description: 'The checkpoint to verify the proof against.',
    }),
  }),
})

const StoreErasureRef = builder.objectRef<StoreErasure>('StoreErasure').implement({
  description: 'The progress of a hard delete in one store.',
  fields: (t) => ({
    store: t.exposeString('store', {
      description: '`catalog`, `vector_index`, `text_index`, or `object_store` (which holds uploaded sources).',
    }),
    engine: t.exposeString('engine', { description: 'The engine, as in health.' }),
    erased: t.expose('erased', { type: 'SafeInt', description: 'Number of Units or sources that were removed.' }),
    remaining: t.expose('remaining', { type: 'SafeInt', description: 'Number that are not removed yet.' }),
  }),
})

const ProvenRowRef = builder.objectRef<DeletionReceipt['rows'][number]>('ProvenAuditRow').implement({
  description: 'A row of an audit log, with the proof that it is in the log.',
  fields: (t) => ({
    row: t.expose('row', { type: AuditRowRef, description: 'The row.' }),
    proof: t.expose('proof', { type: ProofRef, description: 'The inclusion proof.' }),
  }),
})

const DeletionReceiptRef = builder.objectRef<DeletionReceipt>('DeletionReceipt').implement({
  description: 'Evidence of a hard delete.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace.' }),
    seq: t.expose('seq', { type: 'SafeInt', description: 'The `seq` that the deletion returned.' }),
    rows: t.expose('rows', {
      type: [ProvenRowRef],
      description: 'Its audit rows, one for each 1,000 Units.',
    }),
    stores: t.expose('stores', {
      type: [StoreErasureRef],
      description: 'What has been removed from each store so far.',
    }),
  }),
})

builder.queryFields((t) => ({
  auditCheckpoint: t.field({
    type: CheckpointRef,
    ...runs('auditCheckpoint', (args, services) => services.audit.checkpoint(args)),
  }),
  auditProof: t.field({
    type: ProofRef,
    ...runs('auditProof', (args, services) => services.audit.proof(args)),
  }),
  deletionReceipt: t.field({
    type: DeletionReceiptRef,
    ...runs('deletionReceipt', ({ seq }, services) => services.audit.deletion(seq)),
  }),
}))
